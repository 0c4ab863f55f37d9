import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isJson } from "../conversation/outgoing-call.ts";
import { type ArgumentsText, createArgumentsText } from "../streaming/arguments-text.ts";
import type { MergeDelta } from "../streaming/merge.ts";
import { isText } from "../streaming/present.ts";

interface OpenCall {
  readonly position: number;
  id: string | undefined;
  /** All fields except the arguments. */
  readonly fields: JsonObject;
  readonly args: ArgumentsText;
}

/** The content of a fragment for its call: "" and null count as absent. */
interface Fragment {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** A piece of the arguments. "" if the fragment sends an empty text, undefined if it sends none. */
  readonly text: string | undefined;
  readonly fields: JsonObject;
}

/** The calls among which the call of a fragment is searched. */
interface Group {
  last?: OpenCall;
  readonly byId: Map<string, OpenCall>;
}

/** Assembles the calls of one streamed message: by index, id and name if they are sent, otherwise by the text. */
export class OpenAiCalls {
  readonly #calls: OpenCall[] = [];
  /** By the provider's index; all calls are under undefined. */
  readonly #groups = new Map<unknown, Group>();
  readonly #merge: MergeDelta;
  #latest: OpenCall | undefined;
  /** The id of a call that has not begun yet. */
  #idAhead: string | undefined;

  constructor(merge: MergeDelta) {
    this.#merge = merge;
  }

  add(given: JsonObject): void {
    const { index: givenIndex, ...rest } = given;
    const index = readIndex(givenIndex);
    const fragment = readFragment(rest);
    const { id, text, fields } = fragment;
    const known = this.#find(index, id) ?? this.#findMisplaced(fragment);
    const isKnownId = known !== undefined && id !== undefined && this.#groups.get(index)?.byId.get(id) === known;
    if (known !== undefined && !isKnownId && isIdAlone(known, fragment)) {
      this.#idAhead = id;
      return;
    }
    const isBegun = this.#idAhead !== undefined && id === undefined && fragment.name !== undefined;
    const call =
      known === undefined || isBegun || isAnother(known, isKnownId, fragment) ? this.#begin(index, id) : known;
    if (id !== undefined) for (const group of this.#groupsOf(index)) group.byId.set(id, call);
    call.id ??= id;
    const before = nameIn(call.fields);
    this.#merge(call.fields, fields);
    if (fragment.name !== undefined) writeName(call.fields, joinNames(before, fragment.name));
    if (text !== undefined) {
      if (call.args.isRepeat(text)) call.args.repeat(text);
      else call.args.add(text);
    }
    this.#latest = call;
  }

  /** @returns `tool_calls` of a whole message, in the order of their indexes, without holes */
  end(): JsonObject[] {
    return this.#calls
      .toSorted((one, other) => one.position - other.position)
      .map(({ id, args, fields: { type, ...fields } }) => {
        const text = args.text();
        return {
          ...(id !== undefined && { id }),
          type: isText(type) ? type : Object.hasOwn(fields, "custom") ? "custom" : "function",
          ...fields,
          ...(text !== undefined && { function: { ...named(fields), arguments: text } }),
        };
      });
  }

  #begin(index: unknown, id: string | undefined): OpenCall {
    const position = Number.isFinite(index) ? Number(index) : this.#calls.length;
    const call = { position, id: id ?? this.#idAhead, fields: {}, args: createArgumentsText() };
    this.#idAhead = undefined;
    this.#calls.push(call);
    for (const group of this.#groupsOf(index)) group.last = call;
    return call;
  }

  /** Without an index a known id identifies the call; without both it is the latest call. */
  #find(index: unknown, id: string | undefined): OpenCall | undefined {
    if (index === undefined && id === undefined) return this.#latest;
    const group = this.#groups.get(index);
    const known = id === undefined ? undefined : group?.byId.get(id);
    return known ?? (index === undefined ? this.#latest : group?.last);
  }

  /**
   * Some services count fragments instead of calls, or send an index only after the first one: a fragment that cannot
   * begin a call continues one that has not ended.
   */
  #findMisplaced({ id, name, text }: Fragment): OpenCall | undefined {
    if (name !== undefined) return undefined;
    const known = id === undefined ? undefined : this.#groups.get(undefined)?.byId.get(id);
    const call = known ?? (id === undefined || text ? this.#latest : undefined);
    return call === undefined || nameIn(call.fields) === undefined || call.args.isWhole() ? undefined : call;
  }

  #groupsOf(index: unknown): Group[] {
    return (index === undefined ? [index] : [undefined, index]).map((key) => {
      const group = this.#groups.get(key) ?? { byId: new Map() };
      this.#groups.set(key, group);
      return group;
    });
  }
}

/** Some services send another id with each fragment, even after the last one: an id alone does not begin a call. */
function isIdAlone(call: OpenCall, { id, name, text }: Fragment): boolean {
  return id !== undefined && name === undefined && !text && call.id !== undefined && call.args.isWhole();
}

/** Whether a fragment begins another call instead of continuing the one at its index. */
function isAnother(call: OpenCall, isKnownId: boolean, { id, name, text }: Fragment): boolean {
  const { args } = call;
  const before = nameIn(call.fields);
  // A call begins with its name.
  if (name === undefined || before === undefined) return false;
  if (name !== before) return !isNameGoingOn(call, isKnownId, id);
  if (isKnownId) return args.isWhole() && !args.isEmpty() && isOtherObject(args, text);
  // Some services send another id, and the name, with each piece of one object.
  if (id !== undefined && call.id !== undefined) return !(args.isInside() && text && !/^\s*\{/.test(text));
  // After the last brace of an object nothing can continue it.
  return Boolean(text) && args.isWhole() && !(call.id !== undefined && args.isRepeat(text ?? ""));
}

/** Some services send a name in pieces, or longer each time, before the arguments begin. */
function isNameGoingOn({ id: own, args }: OpenCall, isKnownId: boolean, id: string | undefined): boolean {
  return own !== undefined && (isKnownId || id === undefined) && !args.text();
}

function joinNames(before: string | undefined, name: string): string {
  if (before === undefined) return name;
  return name.length >= before.length && name.startsWith(before) ? name : before + name;
}

function writeName(fields: JsonObject, name: string): void {
  const key = isJsonObject(fields["custom"]) ? "custom" : "function";
  fields[key] = { ...(fields[key] as JsonObject), name };
}

/** Some services send a number as text. */
function readIndex(index: unknown): unknown {
  return isText(index) && Number.isFinite(Number(index)) ? Number(index) : (index ?? undefined);
}

function isOtherObject(args: ArgumentsText, text = ""): boolean {
  return text.trimStart().startsWith("{") && isJson(text) && !args.isRepeat(text);
}

/** Lenient servers send the arguments as an object. */
function readFragment({ id, ...fields }: JsonObject): Fragment {
  const { arguments: given, ...others } = named(fields);
  return {
    id: isText(id) ? id : undefined,
    name: nameIn(fields),
    text: typeof given === "string" ? given : given == null ? undefined : JSON.stringify(given),
    fields: isJsonObject(fields["function"]) ? { ...fields, function: others } : fields,
  };
}

function nameIn({ function: called, custom = called }: JsonObject): string | undefined {
  const name = isJsonObject(custom) ? custom["name"] : undefined;
  return isText(name) ? name : undefined;
}

function named(fields: JsonObject): JsonObject {
  return isJsonObject(fields["function"]) ? fields["function"] : {};
}
