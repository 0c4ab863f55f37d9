import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { mergeDelta } from "./merge.ts";

interface OpenCall {
  /** As the provider counts. Undefined where it does not. */
  readonly index: unknown;
  readonly position: number;
  id: string | undefined;
  fields: JsonObject;
}

/** Puts together the calls of one streamed message: by index and id where they are told, and as well as can be where not. */
export class OpenAiCalls {
  readonly #calls: OpenCall[] = [];
  #latest: OpenCall | undefined;

  add(fragment: JsonObject): void {
    const { index: givenIndex, id: givenId, ...rest } = fragment;
    const index = givenIndex ?? undefined;
    const id = typeof givenId === "string" && givenId !== "" ? givenId : undefined;
    const fields = withArgumentsText(rest);
    let call = this.#find(index, id);
    if (call === undefined || isAnother(call, id, fields)) {
      call = { index, position: typeof index === "number" ? index : this.#calls.length, id, fields: {} };
      this.#calls.push(call);
    }
    call.id ??= id;
    call.fields = mergeDelta(call.fields, fields);
    this.#latest = call;
  }

  /** @returns `tool_calls` of a whole message, in the order of their indexes, with no holes */
  end(): JsonObject[] {
    return this.#calls
      .toSorted((one, other) => one.position - other.position)
      .map(({ id, fields: { type, ...fields } }) => ({
        ...(id !== undefined && { id }),
        type: isText(type) ? type : Object.hasOwn(fields, "custom") ? "custom" : "function",
        ...fields,
      }));
  }

  /** Without an index a known id tells the call; without both it is the one that was written last. */
  #find(index: unknown, id: string | undefined): OpenCall | undefined {
    if (index === undefined && id === undefined) return this.#latest;
    const candidates = index === undefined ? this.#calls : this.#calls.filter((call) => call.index === index);
    const known = id === undefined ? undefined : candidates.findLast((call) => call.id === id);
    return known ?? (index === undefined ? undefined : candidates.at(-1));
  }
}

/** Whether a fragment begins a call of its own where an open one has its place. */
function isAnother(call: OpenCall, id: string | undefined, fields: JsonObject): boolean {
  if (id !== undefined) return call.id !== undefined && call.id !== id;
  const [before, now] = [named(call.fields), named(fields)];
  if (!isText(before["name"]) || !isText(now["name"])) return false;
  if (now["name"] !== before["name"]) return true;
  // Nothing can go on from an object's last brace.
  return isText(now["arguments"]) && /\}\s*$/.test(String(before["arguments"])) && isJson(before["arguments"]);
}

function named(fields: JsonObject): JsonObject {
  return isJsonObject(fields["function"]) ? fields["function"] : {};
}

/** Loose servers send the arguments as an object. */
function withArgumentsText(fields: JsonObject): JsonObject {
  const value = named(fields)["arguments"];
  if (typeof value !== "object" || value === null) return fields;
  return { ...fields, function: { ...named(fields), arguments: JSON.stringify(value) } };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Whether it is a whole JSON text. */
export function isJson(value: unknown): boolean {
  try {
    return typeof value === "string" && JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
}
