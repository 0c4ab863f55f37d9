import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { openaiResponsesConversation } from "./conversation.ts";
import { type Accumulator, StreamError } from "../streaming/accumulator.ts";
import type { ResponsesItem } from "./stream-item.ts";
import { createResponsesItems } from "./stream-items.ts";
import { joinOutput } from "./stream-output.ts";
import { streamError } from "../streaming/stream-error.ts";
import { writeAll } from "../streaming/assign.ts";

const ends = new Set(["completed", "incomplete", "failed", "cancelled"].map((status) => `response.${status}`));
/** The events whose text is for the user. */
const spoken: ReadonlySet<string> = new Set(["response.output_text.delta", "response.refusal.delta"]);

/**
 * Assembles events of OpenAI Responses into the response. What its last event omits or leaves empty is taken from the
 * stream, because some gateways send such events. Its `end` throws StreamError if no event ended the response. Source:
 * platform.openai.com/docs/api-reference/responses-streaming.
 */
export function createOpenAiResponsesAccumulator(): Accumulator {
  const response: JsonObject = {};
  let isOver = false;
  /** The item of the latest text. Some gateways stream no deltas: their text arrives at the end. */
  let spokenItem: ResponsesItem | undefined;
  const items = createResponsesItems();
  return {
    add(event) {
      if (!isJsonObject(event) || typeof event["type"] !== "string" || isOver) return "";
      const { type, response: snapshot, delta } = event;
      if (type === "error") throw streamError(event["error"] ?? event);
      if (isJsonObject(snapshot)) writeAll(response, snapshot);
      if (ends.has(type)) {
        isOver = true;
        response["status"] = type.slice("response.".length);
        return spokenItem === undefined ? openaiResponsesConversation.textOf({ output: output() }) : "";
      }
      const item = items.take(type, event);
      if (item === undefined || !spoken.has(type) || typeof delta !== "string") return "";
      const before = spokenItem;
      spokenItem = item;
      // A blank line separates commentary from the answer.
      return before === undefined || before.phase === item.phase ? delta : `\n\n${delta}`;
    },
    end() {
      if (!isOver) throw new StreamError("The stream ended before the response was complete.");
      return { ...response, output: output() };
    },
  };

  function output(): unknown[] {
    return joinOutput(response["output"], items.end(), response["status"] === "completed");
  }
}
