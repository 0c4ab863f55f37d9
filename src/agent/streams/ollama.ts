import { isJsonObject } from "../../core/json.ts";
import { type Accumulator, StreamError } from "./accumulator.ts";
import { saidError } from "./said-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The lines of /api/chat: text and thoughts in pieces, calls whole but perhaps over several lines, and last the counts with
 * `done: true`. Source: ollama/ollama, server/routes.go.
 */
export function createOllamaAccumulator(): Accumulator {
  let reply: Fields = {};
  let message: Fields = {};
  return {
    add(chunk) {
      if (!isJsonObject(chunk)) return "";
      if (chunk["error"] != null) throw saidError(chunk["error"]);
      const { message: said, ...about } = chunk;
      reply = { ...reply, ...about, ...joined(reply, about, ["logprobs"], isArray, concat) };
      if (!isJsonObject(said)) return "";
      message = {
        ...message,
        ...said,
        ...joined(message, said, ["content", "thinking"], isString, glue),
        ...joined(message, said, ["tool_calls", "images"], isArray, concat),
      };
      return isString(said["content"]) ? said["content"] : "";
    },
    end() {
      if (reply["done"] !== true) throw new StreamError("The stream ended before the reply did.");
      return { ...reply, message: { role: "assistant", content: "", ...message } };
    },
  };
}

const isString = (value: unknown): value is string => typeof value === "string";
const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const glue = (before: string, more: string): string => before + more;
const concat = (before: readonly unknown[], more: readonly unknown[]): readonly unknown[] => [...before, ...more];

/** Of the fields that both have, what they make together; a null, or what is of another kind, takes nothing away. */
function joined<T>(
  before: Fields,
  more: Fields,
  names: readonly string[],
  isKind: (value: unknown) => value is T,
  join: (before: T, more: T) => T,
): Fields {
  const both = names.flatMap((name) => {
    const [old, fresh] = [before[name], more[name]];
    if (!isKind(old) || !Object.hasOwn(more, name)) return [];
    return [[name, isKind(fresh) ? join(old, fresh) : old] as const];
  });
  return Object.fromEntries(both);
}
