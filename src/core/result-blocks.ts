import { isJsonObject, type JsonObject } from "../json/object.ts";

/**
 * What a tool returns if its results only sometimes consist of content blocks, or have blocks beside them, such as a tool of an MCP
 * server. A tool with `contentBlocks: true` returns `{"content": […]}` itself. The blocks are not checked.
 */
export class ResultWithBlocks {
  readonly result: unknown;
  /** Undefined if the result itself is `{"content": […]}`. */
  readonly beside: readonly unknown[] | undefined;

  constructor(result: unknown, beside?: readonly unknown[]) {
    this.result = result;
    this.beside = beside;
  }
}

/** The content blocks of an outcome: models and MCP clients get them in place of the result, or beside it. */
export interface ResultBlocks {
  readonly blocks: readonly JsonObject[];
  readonly areBeside: boolean;
}

/** Stored outside the outcome, which contains only what is sent. */
const blocksOfOutcomes = new WeakMap<object, ResultBlocks>();

export function setBlocks<Outcome extends object>(outcome: Outcome, beside: unknown, result: unknown): Outcome {
  const areBeside = beside !== undefined;
  const blocks = areBeside ? beside : isJsonObject(result) ? result["content"] : undefined;
  if (Array.isArray(blocks)) blocksOfOutcomes.set(outcome, { blocks: blocks.filter(isJsonObject), areBeside });
  return outcome;
}

/** The same blocks for a copy of an outcome. */
export function copyBlocks<Outcome extends object>(outcome: object, copy: Outcome): Outcome {
  const blocks = blocksOfOutcomes.get(outcome);
  if (blocks !== undefined) blocksOfOutcomes.set(copy, blocks);
  return copy;
}

/**
 * @param tool the tool that was called, whose results may always be content blocks
 * @returns undefined if the outcome has none
 */
export function blocksOf(
  outcome: { readonly status: string; readonly result?: unknown },
  tool: { readonly contentBlocks?: boolean } | undefined,
): ResultBlocks | undefined {
  if (outcome.status !== "ok") return undefined;
  if (tool?.contentBlocks !== true) return blocksOfOutcomes.get(outcome);
  const content = isJsonObject(outcome.result) ? outcome.result["content"] : undefined;
  return Array.isArray(content) ? { blocks: content.filter(isJsonObject), areBeside: false } : undefined;
}
