import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import type { Merge } from "./merge.ts";
import { createObjectEnd, type ObjectEnd } from "./object-end.ts";

interface OpenCall {
  readonly position: number;
  id: string | undefined;
  readonly fields: JsonObject;
  /** Of its arguments. */
  readonly objectEnd: ObjectEnd;
  /** Whether its arguments are JSON: asked once, where their object has ended. What comes behind does not mend them. */
  isWhole?: boolean;
}

/** The calls among which a fragment finds its own. */
interface Group {
  last?: OpenCall;
  readonly byId: Map<string, OpenCall>;
}

/** Puts together the calls of one streamed message: by index and id where they are told, and as well as can be where not. */
export class OpenAiCalls {
  readonly #calls: OpenCall[] = [];
  /** By index as the provider counts; all of them under undefined. */
  readonly #groups = new Map<unknown, Group>();
  readonly #merge: Merge;
  #latest: OpenCall | undefined;

  constructor(merge: Merge) {
    this.#merge = merge;
  }

  add(fragment: JsonObject): void {
    const { index: givenIndex, id: givenId, ...rest } = fragment;
    const index = givenIndex ?? undefined;
    const id = typeof givenId === "string" && givenId !== "" ? givenId : undefined;
    const fields = withArgumentsText(rest);
    let call = this.#find(index, id);
    if (call === undefined || isAnother(call, id, fields)) {
      const position = Number.isFinite(index) ? Number(index) : this.#calls.length;
      call = { position, id: undefined, fields: {}, objectEnd: createObjectEnd() };
      this.#calls.push(call);
      for (const group of this.#groupsOf(index)) group.last = call;
    }
    if (id !== undefined) for (const group of this.#groupsOf(index)) group.byId.set(id, call);
    call.id ??= id;
    this.#merge(call.fields, fields);
    const text = named(fields)["arguments"];
    if (typeof text === "string") call.objectEnd.add(text);
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
    const group = this.#groups.get(index);
    const known = id === undefined ? undefined : group?.byId.get(id);
    return known ?? (index === undefined ? undefined : group?.last);
  }

  #groupsOf(index: unknown): Group[] {
    return (index === undefined ? [index] : [undefined, index]).map((key) => {
      const group = this.#groups.get(key) ?? { byId: new Map() };
      this.#groups.set(key, group);
      return group;
    });
  }
}

/** Whether a fragment begins a call of its own where an open one has its place. */
function isAnother(call: OpenCall, id: string | undefined, fields: JsonObject): boolean {
  if (id !== undefined) return call.id !== undefined && call.id !== id;
  const [before, now] = [named(call.fields), named(fields)];
  if (!isText(before["name"]) || !isText(now["name"])) return false;
  if (now["name"] !== before["name"]) return true;
  // Nothing can go on from an object's last brace.
  if (!isText(now["arguments"]) || !call.objectEnd.isHere()) return false;
  return (call.isWhole ??= isJson(before["arguments"]));
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
