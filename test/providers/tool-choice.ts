import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { isObject, type Json } from "./rules/breach.ts";
import { type ConversationBreach, dig, objectsIn } from "./conversation.ts";

/** What a request's words about tool choice break, beside its tools. */
export function toolChoiceBreaches(dialect: RecordedDialect, body: Json): ConversationBreach[] {
  return rules[dialect](body).map(({ field, message }) => ({ path: `/${field}`, rule: "tool-choice", message }));
}

interface Refusal {
  readonly field: string;
  readonly message: string;
}

const rules: Readonly<Record<RecordedDialect, (body: Json) => Refusal[]>> = {
  openai: (body) => {
    const choice = body["tool_choice"];
    const allowed = objectsIn(dig(choice, "allowed_tools", "tools"));
    const chosen = [choice, ...allowed].map((entry) => dig(entry, "function", "name"));
    return [...withoutTools(body), ...unknownNames(chosen, functionNames(body), "tool_choice", notInTools)];
  },
  "openai-responses": (body) => {
    const choice = body["tool_choice"];
    const chosen = [dig(choice, "name"), ...objectsIn(dig(choice, "tools")).map(({ name }) => name)];
    return [...withoutTools(body), ...unknownNames(chosen, toolNames(body), "tool_choice", notInTools)];
  },
  anthropic: (body) => {
    const choice = body["tool_choice"];
    const forced = dig(choice, "type") === "any" || dig(choice, "type") === "tool";
    const thinks = isObject(body["thinking"]) && body["thinking"]["type"] !== "disabled";
    const found = unknownNames([dig(choice, "name")], toolNames(body), "tool_choice", notProvided);
    if (!forced || !thinks) return found;
    return [
      ...found,
      { field: "tool_choice", message: "Thinking may not be enabled when tool_choice forces tool use." },
    ];
  },
  gemini: (body) => {
    const calling = dig(body, "toolConfig", "functionCallingConfig");
    const allowed = dig(calling, "allowedFunctionNames");
    if (allowed === undefined) return [];
    if (dig(calling, "mode") !== "ANY" && dig(calling, "mode") !== "VALIDATED") {
      const message = "`allowed_function_names` should be set only when function calling mode is ANY.";
      return [{ field: "toolConfig", message }];
    }
    const declared = objectsIn(body["tools"]).flatMap((tool) => objectsIn(tool["functionDeclarations"]));
    const names = declared.map(({ name }) => name);
    return unknownNames(Array.isArray(allowed) ? allowed : [allowed], names, "toolConfig", notDeclared);
  },
  ollama: (body) =>
    Object.hasOwn(body, "tool_choice")
      ? [{ field: "tool_choice", message: 'api.ChatRequest has no field "tool_choice": it is dropped in silence' }]
      : [],
};

const notInTools = (name: string) => `Tool choice '${name}' not found in 'tools' parameter.`;
const notProvided = (name: string) => `tool_choice: Tool '${name}' not found in provided tools`;
const notDeclared = (name: string) => `Function '${name}' of allowed_function_names is not declared.`;

const toolNames = (body: Json): unknown[] => objectsIn(body["tools"]).map(({ name }) => name);
const functionNames = (body: Json): unknown[] => objectsIn(body["tools"]).map((tool) => dig(tool, "function", "name"));

function withoutTools(body: Json): Refusal[] {
  if (!Object.hasOwn(body, "tool_choice") || objectsIn(body["tools"]).length > 0) return [];
  return [{ field: "tool_choice", message: "'tool_choice' is only allowed when 'tools' are specified." }];
}

function unknownNames(
  chosen: readonly unknown[],
  names: readonly unknown[],
  field: string,
  say: (name: string) => string,
): Refusal[] {
  return chosen
    .filter((name) => typeof name === "string" && !names.includes(name))
    .map((name) => ({ field, message: say(String(name)) }));
}
