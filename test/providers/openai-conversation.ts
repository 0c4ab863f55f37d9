import { isDeepStrictEqual } from "node:util";
import { isObject, type Json } from "./rules/breach.ts";
import { misfits } from "./rules/shape.ts";
import { type ConversationBreach, type ConversationCheck, dig, firstMisfit, objectsIn } from "./conversation.ts";

/**
 * Chat Completions: tool messages stand directly behind the calls, one for each, and calls keep what they came with. The
 * result of a call in the old way is a message of the role function.
 */
export const checkOpenAIConversation: ConversationCheck = (messages, sent) => {
  const found: ConversationBreach[] = [];
  let open: string[] | undefined;
  let calledAt = 0;
  const close = () => {
    if (open !== undefined && open.length > 0) found.push(unanswered(open, calledAt));
    open = undefined;
  };
  for (const [index, message] of messages.entries()) {
    const path = `/${index}`;
    if (!isObject(message)) {
      found.push({ path, rule: "shape", message: `Invalid type for 'messages[${index}]': expected an object.` });
    } else if (message["role"] === "tool") {
      found.push(...toolMessageBreaches(message, index), ...answerBreaches(message, index, open));
      const at = open?.indexOf(String(message["tool_call_id"])) ?? -1;
      if (at !== -1) open?.splice(at, 1);
    } else if (message["role"] === "function") {
      close();
      found.push(...functionMessageBreaches(messages[index - 1], message, index));
    } else {
      close();
      if (isObject(message["function_call"])) {
        const answer = messages[index + 1];
        if (dig(answer, "role") !== "function") found.push(unanswered(["function_call"], index));
        found.push(...functionBreaches(message["function_call"], index, "function_call"));
      }
      if (!roles.includes(message["role"])) {
        found.push({ path: `${path}/role`, rule: "role", message: `Invalid value: '${String(message["role"])}'.` });
      }
      found.push(...contentBreaches(message, index), ...vendorBreaches(message, index, sent));
      if (!Object.hasOwn(message, "tool_calls")) continue;
      found.push(...callBreaches(message, index));
      open = objectsIn(message["tool_calls"]).map(({ id }) => String(id));
      calledAt = index;
    }
  }
  close();
  return found;
};

const roles: readonly unknown[] = ["system", "developer", "user", "assistant"];

/** Where a message may be without content, something else stands in it. */
function contentBreaches(message: Json, index: number): ConversationBreach[] {
  const { role, content } = message;
  if (typeof content === "string" || Array.isArray(content) || !roles.includes(role)) return [];
  const insteads = ["tool_calls", "function_call", "refusal", "audio"];
  if (role === "assistant" && content == null && insteads.some((field) => message[field] != null)) return [];
  const kind = content === null ? "null" : typeof content;
  const text = `Invalid value for 'messages[${index}].content': expected a string, got ${kind}.`;
  return [{ path: `/${index}/content`, rule: "shape", message: text }];
}

/** What other vendors sign or reason beside a call comes back with it: Gemini and DeepSeek refuse the request without. */
function vendorBreaches(message: Json, index: number, sent: readonly unknown[]): ConversationBreach[] {
  const calls = objectsIn(message["tool_calls"]);
  const origin = sent
    .map((reply) => dig(reply, "choices", 0, "message"))
    .findLast((turn) => objectsIn(dig(turn, "tool_calls")).some(({ id }) => calls.some((call) => call["id"] === id)));
  if (origin === undefined) return [];
  const signed = objectsIn(dig(origin, "tool_calls")).find(
    ({ id, extra_content }) =>
      !calls.some((call) => call["id"] === id && isDeepStrictEqual(call["extra_content"], extra_content)),
  );
  const found: ConversationBreach[] = [];
  if (signed !== undefined) {
    const name = String(dig(signed, "function", "name"));
    const text = `Function call \`${name}\` is missing a thought_signature in functionCall parts.`;
    found.push({ path: `/${index}/tool_calls`, rule: "signature", message: text });
  }
  if (dig(origin, "reasoning_content") !== message["reasoning_content"]) {
    const text = `Missing \`reasoning_content\` field in the assistant message at message index ${index}.`;
    found.push({ path: `/${index}`, rule: "reasoning", message: text });
  }
  return found;
}

function unanswered(ids: readonly string[], index: number): ConversationBreach {
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
  return { path: `/${index}/tool_calls`, rule: "unanswered", message };
}

function answerBreaches(message: Json, index: number, open: readonly string[] | undefined): ConversationBreach[] {
  const path = `/${index}/tool_call_id`;
  if (open === undefined) {
    const text = `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
    return [{ path, rule: "orphan", message: text }];
  }
  if (open.includes(String(message["tool_call_id"]))) return [];
  const text = `Invalid parameter: 'tool_call_id' of '${String(message["tool_call_id"])}' not found in 'tool_calls' of previous message.`;
  return [{ path, rule: "unknown-id", message: text }];
}

function toolMessageBreaches(message: Json, index: number): ConversationBreach[] {
  const at = `messages[${index}]`;
  const found = firstMisfit(
    misfits(message, { role: "string", tool_call_id: "string", content: "string|array" }),
    `/${index}`,
    {
      unknown: ({ field }) => `Unknown parameter: '${at}.${field}'.`,
      missing: ({ field }) => `Missing required parameter: '${at}.${field}'.`,
      kind: ({ field }) => `Invalid type for '${at}.${field}': expected one of a string or array of objects.`,
    },
  );
  const parts: unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  const odd = parts.findIndex((part) => dig(part, "type") !== "text" || typeof dig(part, "text") !== "string");
  if (odd === -1) return found;
  const text = `Invalid value: '${String(dig(parts[odd], "type"))}'. Supported values are: 'text'.`;
  return [...found, { path: `/${index}/content/${odd}`, rule: "content", message: text }];
}

function callBreaches(message: Json, index: number): ConversationBreach[] {
  const calls = message["tool_calls"];
  const path = `/${index}/tool_calls`;
  if (!Array.isArray(calls) || calls.length === 0) {
    const text = `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    return [{ path, rule: "shape", message: text }];
  }
  return calls.flatMap((call, place): ConversationBreach[] => {
    const at = `messages[${index}].tool_calls[${place}]`;
    const missing = ["id", "type"].find((field) => typeof dig(call, field) !== "string");
    if (missing !== undefined) {
      const text = `Missing required parameter: '${at}.${missing}'.`;
      return [{ path: `${path}/${place}/${missing}`, rule: "shape", message: text }];
    }
    if (dig(call, "type") !== "function") return [];
    return functionBreaches(dig(call, "function"), index, `tool_calls/${place}/function`);
  });
}

function functionBreaches(called: unknown, index: number, where: string): ConversationBreach[] {
  const odd = ["name", "arguments"].find((field) => typeof dig(called, field) !== "string");
  if (odd === undefined && dig(called, "name") !== "") return [];
  const field = odd ?? "name";
  const text = `Invalid type for 'messages[${index}].${where}.${field}': expected a string.`;
  return [{ path: `/${index}/${where}/${field}`, rule: field, message: text }];
}

function functionMessageBreaches(previous: unknown, message: Json, index: number): ConversationBreach[] {
  const found = firstMisfit(misfits(message, { role: "string", name: "string", content: "string" }), `/${index}`, {
    unknown: ({ field }) => `Unknown parameter: 'messages[${index}].${field}'.`,
    missing: ({ field }) => `Missing required parameter: 'messages[${index}].${field}'.`,
    kind: ({ field }) => `Invalid type for 'messages[${index}].${field}': expected a string.`,
  });
  if (dig(previous, "function_call", "name") === message["name"]) return found;
  const text = `Invalid parameter: messages with role 'function' must be a response to a preceeding 'function_call'.`;
  return [...found, { path: `/${index}`, rule: "orphan", message: text }];
}
