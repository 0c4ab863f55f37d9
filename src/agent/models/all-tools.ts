import type { JsonObject } from "../../json/object.ts";

/** @param given the `tools` of a model's options: the provider's own tools, which come first and unchanged */
export function allTools(given: unknown, tools: readonly JsonObject[]): readonly unknown[] {
  return Array.isArray(given) ? [...(given as unknown[]), ...tools] : tools;
}
