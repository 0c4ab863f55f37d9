import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { createPartialArgs, type PartialArgs } from "./partial-args.ts";
import { writeKnown } from "../streaming/assign.ts";

/** Assembles the parts of one content. Some gateways write the keys with underscores. */
export interface PartsAccumulator {
  add(part: JsonObject): void;
  end(): { readonly parts: readonly JsonObject[]; readonly isMalformed: boolean };
}

/** A call that arrives in several parts. All of its objects were created here. */
interface OpenCall {
  readonly part: JsonObject;
  readonly call: JsonObject;
  readonly id: unknown;
  args: JsonObject;
  partial: PartialArgs;
}

/**
 * Joins adjacent texts of one kind. A part that contains more than text, such as a signature, is kept as it arrived. So
 * is an empty text with a signature, which must be sent back.
 */
export function createGeminiParts(): PartsAccumulator {
  const parts: JsonObject[] = [];
  let open: OpenCall | undefined;
  let isMalformed = false;
  let blank: JsonObject | undefined;
  return { add, end };

  function add(part: JsonObject): void {
    const call = part["functionCall"] ?? part["function_call"];
    if (isJsonObject(call)) addCall(part, call);
    else if (isPlainText(part)) addText(part);
    else parts.push(part);
  }

  function addText(part: JsonObject): void {
    const last = parts.at(-1);
    if (textOf(part) === "") blank ??= part;
    else if (last !== undefined && isPlainText(last) && isThought(last) === isThought(part)) {
      parts[parts.length - 1] = { ...last, text: textOf(last) + textOf(part) };
    } else parts.push(part);
  }

  function addCall(part: JsonObject, call: JsonObject): void {
    const key = Object.hasOwn(part, "functionCall") ? "functionCall" : "function_call";
    const { partialArgs: camel, partial_args: partialArgs = camel, willContinue: goesOn, args, ...rest } = call;
    const { will_continue: willContinue = goesOn, ...head } = rest;
    const pieces: unknown[] = Array.isArray(partialArgs) ? partialArgs : [];
    if (open !== undefined && continues(open, head)) {
      writeKnown(open.call, head);
      writeKnown(open.part, { ...part, [key]: open.call });
      if (isJsonObject(args)) Object.assign(open, readArgs(args));
    } else {
      close();
      if (willContinue !== true && pieces.length === 0) {
        // If it is empty, it only ends a call that was already complete.
        if (Object.keys(part).length > 1 || Object.keys(call).length > 0) parts.push(part);
        return;
      }
      open = { part: { ...part, [key]: head }, call: head, id: head["id"], ...readArgs(args) };
      parts.push(open.part);
    }
    for (const piece of pieces) {
      if (!isJsonObject(piece) || !open.partial.add(piece)) isMalformed = true;
    }
    if (willContinue !== true) close();
  }

  /** The part that closes a call may be missing; the end of a text in the call may not. */
  function close(): void {
    if (open === undefined) return;
    if (!open.partial.isWhole()) isMalformed = true;
    open.call["args"] = open.args;
    open = undefined;
  }

  function end(): { parts: JsonObject[]; isMalformed: boolean } {
    close();
    return { parts: parts.length === 0 && blank !== undefined ? [blank] : parts, isMalformed };
  }
}

function readArgs(given: unknown): Pick<OpenCall, "args" | "partial"> {
  const args = isJsonObject(given) ? structuredClone(given) : {};
  return { args, partial: createPartialArgs(args) };
}

/** A name begins a call, unless its id is that of the open call. */
function continues(open: OpenCall, { id, name }: JsonObject): boolean {
  const isNamed = typeof name === "string" && name !== "";
  return isNamed ? id !== undefined && id === open.id : id === undefined || id === open.id;
}

function isPlainText(part: JsonObject): boolean {
  return Object.keys(part).every((key) => key === "text" || key === "thought");
}

function isThought(part: JsonObject): boolean {
  return part["thought"] === true;
}

function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : "";
}
