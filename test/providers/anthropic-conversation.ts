import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, repeated } from "./rules/breach.ts";
import { type Fields, misfits } from "./rules/shape.ts";
import { type ConversationBreach, type ConversationCheck, dig, firstMisfit, objectsIn } from "./conversation.ts";

/** Blocks and their fields. Source: the types of @anthropic-ai/sdk 1. What server tools leave may hold what it does. */
const blocks: Readonly<Record<string, Fields | "any">> = {
  text: { type: "string", text: "string", citations: "array|null?", cache_control: "object|null?" },
  thinking: { type: "string", thinking: "string", signature: "string" },
  redacted_thinking: { type: "string", data: "string" },
  tool_use: {
    type: "string",
    id: "string",
    name: "string",
    input: "object",
    cache_control: "object|null?",
    caller: "object?",
    toolset_name: "string|null?",
  },
  tool_result: {
    type: "string",
    tool_use_id: "string",
    content: "string|array?",
    is_error: "boolean?",
    cache_control: "object|null?",
    toolset_name: "string|null?",
  },
  image: "any",
  document: "any",
  search_result: "any",
  container_upload: "any",
  server_tool_use: "any",
};
const resultBlocks: readonly unknown[] = [
  "text",
  "image",
  "document",
  "search_result",
  "tool_reference",
  "browser_state",
];

/** Messages: the results of all calls open the next user message, and thinking comes back untouched. */
export const checkAnthropicConversation: ConversationCheck = (messages, sent) => [
  ...firstRoleBreaches(messages),
  ...messages.flatMap((message, index) => messageBreaches(message, index)),
  ...emptyBreaches(messages),
  ...finalThinkingBreaches(messages),
  ...twiceBreaches(messages),
  ...messages.flatMap((message, index) => callBreaches(message, messages[index + 1], index)),
  ...messages.flatMap((message, index) => resultBreaches(messages[index - 1], message, index)),
  ...sent.flatMap((turn) => thinkingBreaches(turn, messages)),
];

const blocksOf = (message: unknown): Json[] => objectsIn(dig(message, "content"));
const isA = (type: string) => (block: Json) => block["type"] === type;
const callIds = (message: unknown): string[] =>
  dig(message, "role") === "assistant"
    ? blocksOf(message)
        .filter(isA("tool_use"))
        .map(({ id }) => String(id))
    : [];

function firstRoleBreaches(messages: readonly unknown[]): ConversationBreach[] {
  if (messages.length === 0)
    return [{ path: "", rule: "empty", message: "messages: at least one message is required" }];
  if (dig(messages[0], "role") === "user") return [];
  return [{ path: "/0/role", rule: "role", message: 'messages: first message must use the "user" role' }];
}

/** A turn without anything in it cannot come back, but for the last one, which the model is to go on with. */
function emptyBreaches(messages: readonly unknown[]): ConversationBreach[] {
  return messages.flatMap((message, index): ConversationBreach[] => {
    const content = dig(message, "content");
    const isLastOfModel = index === messages.length - 1 && dig(message, "role") === "assistant";
    const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
    if (!isEmpty || isLastOfModel) return [];
    const text = `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
    return [{ path: `/${index}/content`, rule: "empty", message: text }];
  });
}

/** Source: tailcallhq/forgecode#2107. */
function finalThinkingBreaches(messages: readonly unknown[]): ConversationBreach[] {
  return messages.flatMap((message, index): ConversationBreach[] => {
    const last = blocksOf(message).at(-1);
    if (dig(message, "role") !== "assistant" || last === undefined || !isThought(last)) return [];
    const text = `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    return [{ path: `/${index}/content`, rule: "final-thinking", message: text }];
  });
}

function twiceBreaches(messages: readonly unknown[]): ConversationBreach[] {
  return repeated(messages.flatMap(callIds)).map((id) => ({
    path: "",
    rule: "twice",
    message: `messages: \`tool_use\` ids must be unique: ${id}`,
  }));
}

const sayMisfit = (at: string) => ({
  unknown: ({ field }: { field: string }) => `${at}.${field}: Extra inputs are not permitted`,
  missing: ({ field }: { field: string }) => `${at}.${field}: Field required`,
  kind: ({ field, expected }: { field: string; expected: string }) =>
    `${at}.${field}: Input should be a valid ${expected.replace("object", "dictionary").replace("array", "list")}`,
});

function messageBreaches(message: unknown, index: number): ConversationBreach[] {
  const at = `messages.${index}`;
  if (!isObject(message)) return [{ path: `/${index}`, rule: "shape", message: `${at}: Input should be an object` }];
  const found = firstMisfit(misfits(message, { role: "string", content: "string|array" }), `/${index}`, sayMisfit(at));
  if (message["role"] !== "user" && message["role"] !== "assistant") {
    found.push({ path: `/${index}/role`, rule: "role", message: `${at}.role: Input should be 'user' or 'assistant'` });
  }
  return [...found, ...blocksOf(message).flatMap((block, place) => blockBreaches(block, index, place))];
}

function blockBreaches(block: Json, index: number, place: number): ConversationBreach[] {
  const path = `/${index}/content/${place}`;
  const type = String(block["type"]);
  const at = `messages.${index}.content.${place}`;
  const shape = type.endsWith("_tool_result") ? "any" : blocks[type];
  if (shape === undefined) {
    const message = `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`;
    return [{ path, rule: "shape", message }];
  }
  if (shape === "any") return [];
  const found = firstMisfit(misfits(block, shape), path, sayMisfit(`${at}.${type}`));
  if (type === "text" && String(block["text"]).trim() === "") {
    const must = block["text"] === "" ? "be non-empty" : "contain non-whitespace text";
    found.push({ path, rule: "empty-text", message: `messages: text content blocks must ${must}` });
  }
  const id = type === "tool_use" ? block["id"] : block["tool_use_id"];
  if (typeof id === "string" && !/^[a-zA-Z0-9_-]+$/.test(id)) {
    found.push({ path, rule: "id", message: `${at}.${type}.id: String should match pattern '^[a-zA-Z0-9_-]+$'` });
  }
  const odd = objectsIn(block["content"]).find((part) => !resultBlocks.includes(part["type"]));
  if (type === "tool_result" && odd !== undefined) {
    const message = `${at}.tool_result.content: Input tag '${String(odd["type"])}' does not match any of the expected tags`;
    found.push({ path, rule: "content", message });
  }
  return found;
}

/** Every call of an assistant's message is answered at the head of the next one. */
function callBreaches(message: unknown, next: unknown, index: number): ConversationBreach[] {
  const head = dig(next, "role") === "user" ? leadingResults(next) : [];
  const open = callIds(message).filter((id) => !head.includes(id));
  if (open.length === 0) return [];
  const text = `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  return [{ path: `/${index}`, rule: "unanswered", message: text }];
}

function leadingResults(message: unknown): string[] {
  const content = blocksOf(message);
  const end = content.findIndex((block) => block["type"] !== "tool_result");
  return content.slice(0, end === -1 ? content.length : end).map((block) => String(block["tool_use_id"]));
}

function resultBreaches(previous: unknown, message: unknown, index: number): ConversationBreach[] {
  const calls = callIds(previous);
  const seen = new Set<string>();
  return blocksOf(message).flatMap((block, place): ConversationBreach[] => {
    if (block["type"] !== "tool_result") return [];
    const id = String(block["tool_use_id"]);
    const path = `/${index}/content/${place}`;
    if (!calls.includes(id)) {
      const text = `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return [{ path, rule: "orphan", message: text }];
    }
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const text = `messages.${index}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    return [{ path, rule: "duplicate", message: text }];
  });
}

/** What the model thought before its calls is signed: the turn that has these calls has it unchanged. */
function thinkingBreaches(turn: unknown, messages: readonly unknown[]): ConversationBreach[] {
  const ids = allCallIds(turn);
  const index = messages.findIndex((message) => ids.some((id) => allCallIds(message).includes(id)));
  const signed = thoughts(turn);
  if (index === -1 || isDeepStrictEqual(thoughts(messages[index]), signed)) return [];
  const at = `messages.${index}.content.0`;
  const lost = thoughts(messages[index]).length < signed.length;
  const message = lost
    ? `${at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
    : `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  return [{ path: `/${index}/content/0`, rule: "thinking", message }];
}

function thoughts(message: unknown): Json[] {
  return blocksOf(message).filter(isThought);
}

function isThought({ type }: Json): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function allCallIds(message: unknown): string[] {
  return blocksOf(message)
    .filter(({ type }) => type === "tool_use" || type === "server_tool_use")
    .map(({ id }) => String(id));
}
