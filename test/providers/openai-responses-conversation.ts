import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, repeated } from "./rules/breach.ts";
import { type Fields, misfits } from "./rules/shape.ts";
import { type ConversationBreach, type ConversationCheck, dig, firstMisfit, objectsIn } from "./conversation.ts";

/** Which items are calls, and which answer them. Source: the types of the npm package openai 6. */
const pairs = { function_call: "function_call_output", custom_tool_call: "custom_tool_call_output" } as const;
const prefixes: Readonly<Record<string, string>> = { function_call: "fc", custom_tool_call: "ctc", reasoning: "rs" };
const fields: Readonly<Record<string, Fields>> = {
  function_call: {
    type: "string",
    id: "string?",
    call_id: "string",
    name: "string",
    arguments: "string",
    namespace: "string?",
    caller: "object|null?",
    status: "string?",
    async: "boolean?",
  },
  function_call_output: {
    type: "string",
    id: "string|null?",
    call_id: "string",
    output: "string|array",
    caller: "object|null?",
    status: "string|null?",
  },
  custom_tool_call_output: {
    type: "string",
    id: "string?",
    call_id: "string",
    output: "string|array",
    caller: "object|null?",
  },
  reasoning: {
    type: "string",
    id: "string",
    summary: "array",
    content: "array?",
    encrypted_content: "string|null?",
    status: "string?",
  },
};

/** The items of Responses: every call with its output, and with the reasoning that led to it. */
export const checkResponsesConversation: ConversationCheck = (items, sent) => [
  ...items.flatMap((item, index) => itemBreaches(item, index)),
  ...duplicateBreaches(objectsIn(items)),
  ...pairBreaches(items),
  ...items.flatMap((item, index) => reasoningBreaches(items, item, index)),
  ...items.flatMap((item, index) => echoBreaches(items, item, index, sent)),
];

const isA = (item: unknown, type: string): item is Json => isObject(item) && item["type"] === type;
const isCall = (item: unknown): item is Json => Object.keys(pairs).some((type) => isA(item, type));

function itemBreaches(item: unknown, index: number): ConversationBreach[] {
  const at = `input[${index}]`;
  if (!isObject(item))
    return [{ path: `/${index}`, rule: "shape", message: `Invalid type for '${at}': expected an object.` }];
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  const found = firstMisfit(misfits(item, fields[type] ?? anyFields(item)), `/${index}`, {
    unknown: ({ field }) => `Unknown parameter: '${at}.${field}'.`,
    missing: ({ field }) => `Missing required parameter: '${at}.${field}'.`,
    kind: ({ field, expected }) =>
      `Invalid type for '${at}.${field}': expected one of ${expected.replace("array", "an array of objects").replace("|", " or ")}.`,
  });
  const prefix = prefixes[type];
  const { id } = item;
  if (prefix === undefined || typeof id !== "string" || id.startsWith(prefix)) return found;
  const message = `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
  return [...found, { path: `/${index}/id`, rule: "item-id", message }];
}

/** Items that no rule here is about may hold what they do. */
function anyFields(item: Json): Fields {
  return Object.fromEntries(Object.keys(item).map((field) => [field, "any"]));
}

function duplicateBreaches(items: readonly Json[]): ConversationBreach[] {
  const ids = items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  const callIds = items.filter(isCall).map((call) => String(call["call_id"]));
  return [...new Set([...repeated(ids), ...repeated(callIds)])].map((id) => ({
    path: "",
    rule: "duplicate",
    message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  }));
}

function pairBreaches(items: readonly unknown[]): ConversationBreach[] {
  return Object.entries(pairs).flatMap(([callType, outputType]) =>
    items.flatMap((item, index): ConversationBreach[] => {
      const path = `/${index}/call_id`;
      const matches = (type: string, other: unknown) => isA(other, type) && other["call_id"] === dig(item, "call_id");
      if (isA(item, callType) && !items.slice(index).some((other) => matches(outputType, other))) {
        return [
          { path, rule: "unanswered", message: `No tool output found for function call ${String(item["call_id"])}.` },
        ];
      }
      if (!isA(item, outputType)) return [];
      const call = items.slice(0, index).find((other) => matches(callType, other));
      if (call === undefined) {
        const message = `No tool call found for function call output with call_id ${String(item["call_id"])}.`;
        return [{ path, rule: "orphan", message }];
      }
      if (isDeepStrictEqual(dig(call, "caller") ?? null, item["caller"] ?? null)) return [];
      return [
        {
          path: `/${index}/caller`,
          rule: "caller",
          message: `Caller of '${String(item["call_id"])}' does not match its call.`,
        },
      ];
    }),
  );
}

/** Reasoning stands before what came of it: another item of the model. */
function reasoningBreaches(items: readonly unknown[], item: unknown, index: number): ConversationBreach[] {
  if (!isA(item, "reasoning")) return [];
  const next = items[index + 1];
  const ownWork = isObject(next) && (next["role"] === "assistant" || /call$|^reasoning$/.test(String(next["type"])));
  if (ownWork) return [];
  const message = `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`;
  return [{ path: `/${index}`, rule: "reasoning-alone", message }];
}

/** Calls are known by the ids that pair them, messages by their own. */
function isSameItem(other: Json, item: Json): boolean {
  if (isCall(item)) return isCall(other) && other["call_id"] === item["call_id"];
  return isA(item, "message") && isA(other, "message") && item["id"] !== undefined && other["id"] === item["id"];
}

/** A call, or a message, comes back with what it was sent with. */
function echoBreaches(
  items: readonly unknown[],
  item: unknown,
  index: number,
  sent: readonly unknown[],
): ConversationBreach[] {
  if (!isObject(item)) return [];
  const turn = sent
    .map((reply) => objectsIn(dig(reply, "output")))
    .find((output) => output.some((other) => isSameItem(other, item)));
  if (turn === undefined) return [];
  const at = turn.findIndex((other) => isSameItem(other, item));
  const found: ConversationBreach[] = [];
  if (!isDeepStrictEqual(turn[at]?.["namespace"], item["namespace"])) {
    const message = `Missing namespace for function_call '${String(item["name"])}'.`;
    found.push({ path: `/${index}/namespace`, rule: "namespace", message });
  }
  const needed = turn.slice(0, at).filter((other) => isA(other, "reasoning"));
  const before = items.slice(0, index);
  for (const reasoning of needed) {
    if (before.some((other) => isSameReasoning(other, reasoning))) continue;
    const message = `Item '${String(item["id"] ?? item["call_id"])}' of type '${String(item["type"])}' was provided without its required 'reasoning' item: '${String(reasoning["id"])}'.`;
    found.push({ path: `/${index}`, rule: "reasoning", message });
  }
  return found;
}

function isSameReasoning(item: unknown, reasoning: Json): boolean {
  const kept = ["id", "summary", "encrypted_content"];
  return isA(item, "reasoning") && kept.every((field) => isDeepStrictEqual(item[field], reasoning[field]));
}
