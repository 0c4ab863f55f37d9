import { isObject, type Json } from "./rules/breach.ts";
import { type Misfit, misfits } from "./rules/shape.ts";
import { type ConversationBreach, type ConversationCheck, dig, firstMisfit, objectsIn } from "./conversation.ts";

/** Source: ollama/ollama, api/types.go, `Message`; what is no field is dropped in silence, which counts as a breach. */
const toolFields = {
  role: "string",
  content: "string",
  tool_name: "string",
  tool_call_id: "string?",
  images: "strings?",
  thinking: "string?",
};
const messageFields = { ...toolFields, content: "string?", tool_name: "string?", tool_calls: "array?" };

/**
 * /api/chat: results stand behind their calls, in the order of the calls. The server itself refuses what it cannot
 * decode, and hands the rest to the model in confusion; here that is refused as well.
 */
export const checkOllamaConversation: ConversationCheck = (messages) => {
  const found: ConversationBreach[] = [];
  let open: Json[] | undefined;
  const close = (index: number) => {
    if (open !== undefined && open.length > 0) {
      found.push({ path: `/${index}`, rule: "unanswered", message: `${open.length} tool calls have no tool message` });
    }
    open = undefined;
  };
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) {
      found.push({
        path: `/${index}`,
        rule: "shape",
        message: "json: cannot unmarshal into Go value of type api.Message",
      });
    } else if (message["role"] === "tool") {
      found.push(...messageBreaches(message, index), ...answerBreaches(message, open?.shift(), index));
    } else {
      close(index);
      found.push(...messageBreaches(message, index), ...callBreaches(message, index));
      if (Object.hasOwn(message, "tool_calls")) open = objectsIn(message["tool_calls"]);
    }
  }
  close(messages.length);
  return found;
};

const say = {
  unknown: ({ field }: Misfit) => `api.Message has no field "${field}": it is dropped in silence`,
  missing: ({ field }: Misfit) => `a message needs the field "${field}"`,
  kind: ({ field, expected }: Misfit) =>
    `json: cannot unmarshal into Go struct field ChatRequest.messages.${field} of type ${expected}`,
};

function messageBreaches(message: Json, index: number): ConversationBreach[] {
  const fields = message["role"] === "tool" ? toolFields : messageFields;
  return firstMisfit(misfits(message, fields), `/${index}`, say);
}

function answerBreaches(message: Json, call: Json | undefined, index: number): ConversationBreach[] {
  const path = `/${index}`;
  if (call === undefined) return [{ path, rule: "orphan", message: "a tool message has no tool call before it" }];
  const { id } = call;
  const sameId = message["tool_call_id"] === id || (id !== undefined && message["tool_call_id"] === undefined);
  if (message["tool_name"] === dig(call, "function", "name") && sameId) return [];
  return [{ path, rule: "match", message: `tool message ${index} is not the one of its call` }];
}

function callBreaches(message: Json, index: number): ConversationBreach[] {
  return objectsIn(message["tool_calls"]).flatMap((call, place): ConversationBreach[] => {
    const given = dig(call, "function", "arguments");
    if (isObject(given)) return [];
    const path = `/${index}/tool_calls/${place}/function/arguments`;
    const text = `json: cannot unmarshal ${typeof given} into Go struct field ToolCallFunction.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments`;
    return [{ path, rule: "arguments", message: text }];
  });
}
