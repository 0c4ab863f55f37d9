import { type OkOutcome, type Outcome, resultJson } from "../../core/outcome.ts";
import { isJsonObject } from "../../json/object.ts";
import type { CallResult } from "../dialect.ts";
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
  const blocks = tool?.contentBlocks === true ? contentBlocksOf(outcome) : undefined;
  if (blocks !== undefined) return `{${head}"content":${JSON.stringify(blocks)}${rest}}`;
  const json = resultJson(outcome);
  const structured = wrapsResult(tool?.response, outcome.result, form) ? `{"result":${json}}` : json;
  const text = JSON.stringify(structured);
  return `{${head}"content":[{"type":"text","text":${text}}],"structuredContent":${structured}${rest}}`;
}

function contentBlocksOf({ result }: OkOutcome): readonly unknown[] | undefined {
  return isJsonObject(result) && Array.isArray(result["content"]) ? result["content"] : undefined;
}
