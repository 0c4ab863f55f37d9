import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { type OkOutcome, resultJson } from "../../core/outcome.ts";
import type { CallResult } from "../dialect.ts";
import { NotAReply, type Reply } from "../reply.ts";
import { writeErrorResult } from "./error-result.ts";
import { wrapsResult } from "./schema.ts";
import { type FoundCall, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";

/** The `params` of a `tools/call`, or an array of them. @throws NotAReply */
export function readMcpReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const isList = Array.isArray(root.value);
  if (!isList && root.member("name") === undefined) {
    throw new NotAReply('It must be {"name","arguments"}, or an array of such calls.');
  }
  return toReply({
    source,
    calls: findCalls(isList ? root.elements() : [root]),
    needsIds: false,
    finish: "stop",
    // Calls are not part of a conversation here: a client pairs results with its requests.
    echo: () => "",
  });
}

/** One `CallToolResult` per result. */
export function writeMcpResults(results: readonly CallResult[]): string[] {
  return results.map(({ outcome, tool }) => {
    if (outcome.status === "error") return writeErrorResult(outcome.error);
    const blocks = tool?.contentBlocks === true ? contentBlocksOf(outcome) : undefined;
    if (blocks !== undefined) return JSON.stringify({ content: blocks });
    const json = resultJson(outcome);
    const structured = wrapsResult(tool?.response, outcome.result) ? `{"result":${json}}` : json;
    const text = JSON.stringify({ type: "text", text: structured });
    return `{"content":[${text}],"structuredContent":${structured}}`;
  });
}

function contentBlocksOf({ result }: OkOutcome): readonly unknown[] | undefined {
  return isJsonObject(result) && Array.isArray(result["content"]) ? result["content"] : undefined;
}

function* findCalls(calls: Iterable<JsonNode>): Generator<FoundCall> {
  for (const call of calls) {
    yield {
      id: undefined,
      name: call.member("name")?.value,
      input: call.member("arguments"),
      head: () => ({}),
    };
  }
}
