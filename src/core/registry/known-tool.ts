import type { ResolvedOverride } from "../../tool/overrides.ts";
import type { Tool, ToolAnnotations } from "../../tool/tool.ts";

/** What decides who may use a tool, and which queries choose it. */
export interface KnownTool {
  readonly tool: Pick<Tool, "name" | "tags">;
  readonly source: string;
  /** Those that count. */
  readonly annotations: ToolAnnotations;
  readonly unavailable?: string | undefined;
  readonly binding?: { readonly needsClaims: boolean } | undefined;
}

export const switchedOff = "the operator has switched it off";

/** What is known of a tool before its source has been read: its name, and what the operator sets for the name. */
export function unreadTool(name: string, source: string, { tags, bind, ...known }: ResolvedOverride): KnownTool {
  return {
    tool: { name, ...(tags !== undefined && { tags }) },
    source,
    annotations: known.annotations ?? {},
    unavailable: known.enabled === false ? switchedOff : undefined,
    binding: { needsClaims: [...bind.values()].some(({ to }) => to !== null && "claim" in to) },
  };
}
