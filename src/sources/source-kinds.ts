import { folderKind } from "./folder/kind.ts";
import { mcpKind } from "./mcp/kind.ts";
import { openapiKind } from "./openapi/kind.ts";
import type { SourceKind } from "./source-kind.ts";

/** Every kind of sources, by the key that its entries of `tools` have. */
export const sourceKinds = { folder: folderKind, openapi: openapiKind, mcp: mcpKind };

type SettingOf<Kind> = Kind extends SourceKind<infer Setting> ? Setting : never;

/** The settings of each kind, as `toolhost.yaml` has them. */
export type SourceSettings = { readonly [Key in keyof typeof sourceKinds]: SettingOf<(typeof sourceKinds)[Key]> };

/** A source in `toolhost.yaml`. */
export type SourceSetting = SourceSettings[keyof SourceSettings];

/** The kind of a source, and its key in the table. */
export function kindOf(setting: SourceSetting): { readonly key: string; readonly kind: SourceKind<SourceSetting> } {
  const keys = Object.keys(sourceKinds) as (keyof SourceSettings)[];
  const key = keys.find((each) => Object.hasOwn(setting, each))!;
  return { key, kind: sourceKinds[key] };
}
