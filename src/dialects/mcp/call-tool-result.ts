import { type Outcome, resultJson } from "../../core/outcome.ts";
import { blocksOf } from "../../core/result-blocks.ts";
import type { CallResult } from "../dialect.ts";
import { toContentBlock } from "./content-block.ts";
import { writeErrorMembers } from "./error-result.ts";
import type { ResultForm } from "./result-form.ts";
import { wrapsResult } from "./schema.ts";

/** What a revision of the protocol adds to a result. */
export interface ResultFrame {
  readonly form: ResultForm;
  /** Members before those of the result, as JSON text with a comma behind each. */
  readonly head: string;
  /** Members of `_meta`, as JSON text. */
  readonly meta: string;
}

const bare: ResultFrame = { form: "wrapped", head: "", meta: "" };

/** The `CallToolResult` of an outcome, as JSON text. */
export function writeCallToolResult(
  outcome: Outcome,
  tool: CallResult["tool"],
  { form, head, meta }: ResultFrame = bare,
): string {
  if (outcome.status === "error") return `{${head}${writeErrorMembers(outcome.error, meta)}}`;
  const rest = meta === "" ? "" : `,"_meta":{${meta}}`;
  const found = blocksOf(outcome, tool);
  if (found?.areBeside === false) {
    return `{${head}"content":${JSON.stringify(found.blocks.map(toContentBlock))}${rest}}`;
  }
  const json = resultJson(outcome);
  const structured = wrapsResult(tool?.response, outcome.result, form) ? `{"result":${json}}` : json;
  const text = JSON.stringify(structured);
  const beside =
    found === undefined ? "" : found.blocks.map((block) => `,${JSON.stringify(toContentBlock(block))}`).join("");
  return `{${head}"content":[{"type":"text","text":${text}}${beside}],"structuredContent":${structured}${rest}}`;
}
