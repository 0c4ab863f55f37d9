import { pointerToken } from "../../json/pointer.ts";
import { describeRefusal } from "../../json/refusals.ts";
import type { Caller } from "../../core/caller.ts";
import { CallError } from "../../errors/errors.ts";
import { isJsonObject, ownMember } from "../../json/object.ts";
import { describeIssues, type Issue, maxIssues } from "../../schema/issues.ts";
import type { JsonRefusal } from "../../json/parse.ts";
import type { Outcome } from "../../core/outcome.ts";
import { maxCalls, type BatchEntry } from "../../core/call/batch.ts";
import type { Exchange } from "../exchange.ts";
import { readCallSettings } from "./call-settings.ts";
import type { Calling } from "./calling.ts";
import { readJsonBody } from "../body/json-body.ts";
import { badQuery, readBoolean, readQuery } from "../query.ts";
import type { HttpReply } from "../http-reply.ts";
import type { Route } from "../route.ts";
import { roomForResults } from "./result-room.ts";
import { callResultJson, readRestriction, runCalls } from "./run-calls.ts";
import { isOfProvider, listNames, readListOptions } from "./tool-list.ts";

/** The query of a list may be sent along with the reply to it. */
const callsNames = [...listNames, "echo"] as const;

/** Loaded by the first reply of a model: reading replies takes as much code as the rest of HTTP. */
let replies: typeof import("./invoke-reply.ts") | undefined;

/**
 * `POST /calls`: many calls at once, each with its own outcome, answered in their order. With a provider's
 * `format` the body is a model's reply: `invokeReply`.
 */
export function createCallsRoute(calling: Calling): Route<"/calls"> {
  return {
    method: "POST",
    path: "/calls",
    isFor: "callers",
    startsCalls: true,
    isFrequent: true,
    requestHeaders: ["toolhost-session", "traceparent", "tracestate"],
    handle: (exchange, caller) => invokeCalls(calling, exchange, caller),
  };
}

async function invokeCalls(calling: Calling, exchange: Exchange, caller: Caller): Promise<HttpReply> {
  const query = readQuery(exchange.query, callsNames);
  // They change nothing here, because every change that a list can contain is reversed.
  readListOptions(query);
  const settings = { ...readCallSettings(exchange, calling.forwardedHeaders, ""), caller };
  if (isOfProvider(query.format)) {
    replies ??= await import("./invoke-reply.ts");
    return replies.invokeReply(calling, query.format, exchange, settings, query);
  }
  if (readBoolean("echo", query.echo) === true) throw badQuery("echo", "requires a provider's format");
  const { value, refusals } = await readJsonBody(exchange, calling.body);
  const calls = ownMember(value, "calls");
  if (!Array.isArray(calls)) throw await notAList(value);
  const entries = readEntries(calls, refusals);
  const only = readRestriction(calling.registry, query);
  const plans = entries.map(planEntry);
  const outcomes = await runCalls(calling.startCall, exchange, { ...settings, only }, plans, roomForResults());
  const results = entries.map((entry, index) => resultJson(entry, index, outcomes[index]!));
  const body = `{"results":[${results.join(",")}]}`;
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

interface Entry {
  readonly value: unknown;
  /** The parts that JSON allows and Toolhost refuses. */
  readonly issues: Issue[];
}

async function notAList(body: unknown): Promise<CallError> {
  const { formatHint } = await import("./meant-format.ts");
  return new CallError(
    "bad_request",
    `The body must be {"calls": [{"name": …, "arguments": {…}}]}.${formatHint(body)}`,
  );
}

/** @throws CallError `bad_request` for too many calls, or if a part outside of them is refused */
function readEntries(calls: readonly unknown[], refusals: readonly JsonRefusal[]): Entry[] {
  if (calls.length > maxCalls) throw new CallError("bad_request", `There may be at most ${maxCalls} calls.`);
  const entries = calls.map((call): Entry => ({ value: call, issues: [] }));
  for (const refusal of refusals) {
    const { path, reason } = refusal;
    const [, index, rest = ""] = /^\/calls\/(\d+)(\/.*)?$/s.exec(path) ?? [];
    if (index === undefined) throw new CallError("bad_request", `The body is refused: ${describeRefusal(refusal)}.`);
    entries[Number(index)]?.issues.push(issue(rest.replace(/^\/arguments/, ""), reason, "json"));
  }
  return entries;
}

function planEntry({ value, issues }: Entry): BatchEntry {
  if (issues.length > 0) return notACall(issues);
  if (!isJsonObject(value)) return notACall([issue("", "must be an object with name and arguments", "type")]);
  const name = ownMember(value, "name");
  const hash = ownMember(value, "hash");
  if (typeof name !== "string") return notACall([issue("/name", "must be the name of a tool", "type")]);
  if (hash !== undefined && typeof hash !== "string") return notACall([issue("/hash", "must be a string", "type")]);
  if (!Object.hasOwn(value, "arguments")) {
    const misnamed = Object.keys(value).find((key) => argumentsSynonyms.has(key));
    if (misnamed !== undefined) {
      return notACall([issue(pointerToken(misnamed), 'is not a field of a call; write "arguments"', "properties")]);
    }
  }
  const args = Object.hasOwn(value, "arguments") ? value["arguments"] : {};
  return { name, arguments: args, hash, repair: undefined, repairs: undefined, modelCallId: undefined };
}

/** The names of the arguments in other formats. */
const argumentsSynonyms: ReadonlySet<string> = new Set(["args", "argument", "input", "params", "parameters"]);

function notACall(issues: readonly Issue[]): CallError {
  const message = `This entry is not a call that can be run: ${describeIssues(issues)}.`;
  return new CallError("invalid_arguments", message, { issues: issues.slice(0, maxIssues) });
}

function issue(path: string, message: string, keyword: string): Issue {
  return { path, message, keyword };
}

/** The caller's own id, or the entry's index in the list if there is no usable id. */
function resultJson({ value, issues }: Entry, index: number, outcome: Outcome): string {
  const givenId = ownMember(value, "id");
  // A refused id may differ from the sent one: it may be rounded.
  const isKept = !issues.some(({ path }) => path === "/id");
  const hasId = isKept && (typeof givenId === "string" || Number.isFinite(givenId));
  const name = ownMember(value, "name");
  return callResultJson(
    hasId ? (givenId as string | number) : String(index),
    typeof name === "string" ? name : null,
    outcome,
  );
}
