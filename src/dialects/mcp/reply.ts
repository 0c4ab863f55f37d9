import { type JsonSource } from "../../json/parse.ts";
import type { CallResult } from "../dialect.ts";
import { NotAReply, type Reply } from "../reply.ts";
import { writeCallToolResult } from "./call-tool-result.ts";
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
  return results.map(({ outcome, tool }) => writeCallToolResult(outcome, tool));
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
