import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseUrl } from "../net/parse-url.ts";
import type { ToolConfig } from "../config/config.ts";
import type { Source } from "../core/source.ts";
import { createFolderSource } from "../sources/folder/source.ts";
import type { SourceNetwork } from "../sources/source-kind.ts";
import { kindOf, type SourceSetting } from "../sources/source-kinds.ts";
import type { ConfiguredSource } from "../sources/sources.ts";
import { nameSources, type SourceNaming } from "./name-sources.ts";

/** A source with the name that it was given. */
export interface NamedSource extends ConfiguredSource {
  readonly name: string;
  /** Its kind and what distinguishes it from others of its kind. */
  readonly id: string;
}

// `tools` is beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");
const bundled: NamedSource = {
  name: "bundled",
  id: "bundled",
  key: "bundled",
  open: () => createFolderSource({ name: "bundled", dir: bundledFolder, isWatched: false }),
};

/**
 * The sources of a configuration, by rank: of two tools with one name the operator's own comes before the bundled one.
 * @param inForce the sources of the configuration before: one that stays keeps its name, so it need not be opened again
 * @param network what sources that are opened use from then on
 */
export async function configuredSources(
  { sources, bundledTools, egress }: ToolConfig,
  inForce: readonly NamedSource[],
  network: SourceNetwork,
): Promise<NamedSource[]> {
  const drafts = await Promise.all(sources.map(draftOf));
  const names = nameSources(drafts, inForce);
  const own = drafts.map(({ id, key, hasUrls, open }, index): NamedSource => {
    const name = names[index]!;
    return { name, id, key: JSON.stringify([name, key, hasUrls ? egress : null]), open: () => open(name, network) };
  });
  return bundledTools ? [...own, bundled] : own;
}

interface Draft extends SourceNaming {
  readonly key: string;
  /** It reaches others by rules of the configuration. */
  readonly hasUrls: boolean;
  readonly open: (name: string, network: SourceNetwork) => Source;
}

async function draftOf(setting: SourceSetting & { readonly name?: string }): Promise<Draft> {
  const { key, kind } = kindOf(setting);
  const opener = await kind.load();
  return {
    id: `${key} ${kind.idOf(setting)}`,
    ownName: setting.name,
    proposedName: kind.nameOf(setting),
    key: JSON.stringify(setting),
    hasUrls: kind.urlsOf !== undefined,
    open: (name, network) => opener.open(name, setting, network),
  };
}

/** The request headers of calls that sources send on, in lower case. */
export function forwardedHeadersOf(sources: readonly SourceSetting[]): ReadonlySet<string> {
  const names = sources.flatMap((setting) => kindOf(setting).kind.forwardOf?.(setting) ?? []);
  return new Set(names.map((name) => name.toLowerCase()));
}

/** The origins of the URLs that operators wrote in the settings of sources. */
export function originsOf(sources: readonly SourceSetting[]): string[] {
  const urls = sources.flatMap((setting) => kindOf(setting).kind.urlsOf?.(setting) ?? []);
  return urls.flatMap((url) => (url === undefined ? [] : (parseUrl(url)?.origin ?? [])));
}
