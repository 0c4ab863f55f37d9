import { takeFreeId } from "./free-id.ts";
import { CallError } from "../../errors/errors.ts";
import type { JsonObject } from "../../json/object.ts";
import type { JsonSource } from "../../json/parse.ts";
import { type Finish, NotAReply, type Reply, type ReplyCall, type ReplyWarning } from "../reply.ts";
import { createValuesLeft, readArguments } from "./arguments.ts";
import type { JsonNode } from "./json-place.ts";
import { findTwins } from "./twins.ts";

/** A call at its place in a reply. Its content is not checked yet. */
export interface FoundCall {
  readonly id: unknown;
  readonly name: unknown;
  /** Absent if the model sent none. */
  readonly input: JsonNode | undefined;
  /** Why it cannot be run with any arguments. */
  readonly refusal?: CallError | undefined;
  /** A note about it for the reader. */
  readonly remark?: string | undefined;
  /** Its result is paired by the tool's name, so there can be only one. @default false */
  readonly isAlone?: boolean;
  /** Whether the model accepts no media in results. @default false */
  readonly refusesMedia?: boolean;
  /** @param name {@link unknownName} if the call has none */
  head(id: string | undefined, name: string): JsonObject;
}

interface ReplyParts {
  readonly source: JsonSource;
  readonly calls: Iterable<FoundCall>;
  /** The provider refuses results without an id. */
  readonly needsIds: boolean;
  readonly finish: Finish;
  /** Whether the provider continues if the conversation is sent again. @default false */
  readonly isPaused?: boolean;
  /** Notes about the whole reply. */
  readonly remarks?: readonly string[];
  echo(): string;
}

/** No model makes as many calls in one turn. Each takes far more room in the answer than in the reply. */
const maxReplyCalls = 4096;
/** Providers' ids have up to 64 characters. */
const maxIdLength = 512;
/** Replaces the name of a call that has none: providers refuse empty names. */
export const unknownName = "unknown";

/** @throws NotAReply if it contains more calls than any model makes */
export function toReply(parts: ReplyParts): Reply {
  const { source, needsIds, finish, isPaused = false, remarks = [], echo } = parts;
  const isStrict = source.refusals.length > 0;
  const warnings: ReplyWarning[] = remarks.map((message) => ({ call: null, message }));
  const calls: ReplyCall[] = [];
  const found = takeAll(parts.calls);
  const twins = findTwins(
    found.map(({ id, name, input }) => ({ id: isId(id) ? id : undefined, name, args: input?.value })),
  );
  const ids = readIds(found, twins, needsIds, warnings);
  const left = createValuesLeft();
  found.forEach((call, index) => {
    const id = ids[index];
    const name = typeof call.name === "string" ? call.name : "";
    const read = readArguments(call.input, isStrict, left);
    if (call.remark !== undefined) warnings.push({ call: index, message: call.remark });
    if (read.remark !== undefined) warnings.push({ call: index, message: read.remark });
    const final = unfinished(finish) ?? call.refusal;
    const refusal = final ?? (name === "" ? nameless() : read.refusal);
    const resultFields = call.head(id, name === "" ? unknownName : name);
    const rawArguments = read.refusal === undefined ? undefined : writtenArguments(call.input);
    const { value, repairs } = read;
    const media = call.refusesMedia === true && { refusesMedia: true };
    const refusalIsArguments = final === undefined;
    const twinOf = twins[index];
    calls.push({
      id,
      name,
      arguments: value,
      repairs,
      refusal,
      refusalIsArguments,
      rawArguments,
      resultFields,
      twinOf,
      ...media,
    });
  });
  if (finish === "length")
    warnings.push({ call: null, message: "The reply was cut off before it was complete: no call was run." });
  if (finish === "error" && calls.length > 0)
    warnings.push({ call: null, message: "The provider stopped the reply: no call was run." });
  return { finish, calls, resume: isPaused && calls.length === 0, warnings, echo };
}

const repeated = "The reply contains the call twice, with the same id, tool and arguments. The call was run once.";
const leaveOut = "It has one result: leave the second call out of the assistant's message.";

function takeAll(calls: Iterable<FoundCall>): FoundCall[] {
  const taken: FoundCall[] = [];
  for (const call of calls) {
    if (taken.push(call) > maxReplyCalls) throw new NotAReply(`A reply may contain at most ${maxReplyCalls} calls.`);
  }
  return taken;
}

function readIds(
  found: readonly FoundCall[],
  twins: readonly (number | undefined)[],
  needsIds: boolean,
  warnings: ReplyWarning[],
): (string | undefined)[] {
  const given = found.map(({ id }) => (isId(id) ? id : undefined));
  const seen = new Set<string>();
  const taken = new Set(given);
  return given.map((id, call) => {
    if (id === undefined) {
      if (!needsIds || found[call]?.isAlone === true) return undefined;
      const made = takeFreeId(`call_${call}`, taken);
      const message = `The call has no id. Its result has the id ${made}: give the call the same id in the conversation.`;
      warnings.push({ call, message });
      return made;
    }
    if (twins[call] !== undefined) warnings.push({ call, message: needsIds ? `${repeated} ${leaveOut}` : repeated });
    else if (seen.has(id))
      warnings.push({ call, message: "Another call has the same id: their results are in the order of the calls." });
    seen.add(id);
    return id;
  });
}

/** Whether it can identify a call. Any other id counts as absent. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxIdLength;
}

/** OpenAI's custom tools receive free text; Toolhost's tools need an object of arguments. */
export function customTool(): CallError {
  return new CallError("unknown_tool", "There is no custom tool here. Call one of the listed functions instead.");
}

function unfinished(finish: Finish): CallError | undefined {
  if (finish === "length") return cutOff();
  if (finish === "stop") return undefined;
  return new CallError(
    "invalid_arguments",
    "The provider stopped the reply before it was complete, so none of its calls was run.",
  );
}

function writtenArguments(input: JsonNode | undefined): string {
  return typeof input?.value === "string" ? input.value : (input?.text() ?? "");
}

export function cutOff(): CallError {
  return new CallError(
    "invalid_arguments",
    "The reply was cut off before it was complete, so none of its calls was run. Call again, with less in one reply.",
  );
}

function nameless(): CallError {
  return new CallError("invalid_arguments", "The call names no tool. Call again with the name of a listed tool.");
}
