import { findTool } from "../../core/caller.ts";
import { CallError } from "../../errors/errors.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { ownMember } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { repairJsonText, wasRepaired } from "../../json/well-formed.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import {
  copiesOf,
  describeHidden,
  type EndedReplyCall,
  type PlannedReplyCall,
  withOutcomes,
  planCalls,
  toBatch,
  toCallResult,
} from "../../dialects/plan-reply.ts";
import { mayContainRefusedNull, omitNulls } from "../../dialects/reading/refused-nulls.ts";
import { NotAReply, type Reply as ModelReply, type ReplyWarning } from "../../dialects/reply.ts";
import type { Exchange } from "../exchange.ts";
import { readFormat } from "./format.ts";
import { readJsonSource } from "../body/json-body.ts";
import { formatHint } from "./meant-format.ts";
import { readBoolean } from "../query.ts";
import type { Calling } from "./calling.ts";
import type { HttpReply } from "../http-reply.ts";
import { textReply } from "../long-text.ts";
import { roomForMessages } from "./result-room.ts";
import { callResultJson, readRestriction, runCalls, type SharedSettings } from "./run-calls.ts";
import type { FilterQuery } from "./tool-list.ts";

/**
 * `POST /calls?format=…`: the body is a provider's response. Its calls are run, and the answer contains the messages to
 * append to the conversation. The content of a reply never makes the request fail if it is a reply of that provider.
 */
export async function invokeReply(
  calling: Calling,
  format: string,
  exchange: Exchange,
  settings: Omit<SharedSettings, "only">,
  query: FilterQuery & { readonly echo?: string },
): Promise<HttpReply> {
  const dialect = readFormat(format);
  const wantsEcho = readBoolean("echo", query.echo) ?? false;
  const { registry, reply: limits } = calling;
  const only = readRestriction(registry, query);
  const shared = { ...settings, only };
  // With `then`, because a local variable would keep the text and the values of a long reply while the calls run.
  const planned = await readJsonSource(exchange, limits).then((source) =>
    planReply(registry, dialect, shared, readReply(dialect, source), wantsEcho),
  );
  // The echo is kept while the calls run.
  const { length } = planned.echo;
  limits.held.bytes += length;
  try {
    return await answerReply(calling, dialect, exchange, shared, planned);
  } finally {
    limits.held.bytes -= length;
  }
}

/** The parts of a reply that are needed after its calls. */
interface PlannedReply {
  readonly calls: readonly PlannedReplyCall[];
  readonly warnings: readonly ReplyWarning[];
  readonly resume: boolean;
  /** Empty if it is not requested. */
  readonly echo: string;
}

function planReply(
  registry: Registry,
  dialect: Dialect,
  { caller, only }: SharedSettings,
  { calls, resume, warnings, echo }: ModelReply,
  wantsEcho: boolean,
): PlannedReply {
  const find = (name: string) => findTool(registry, { name, caller, only });
  return { calls: planCalls(dialect, calls, find), warnings, resume, echo: wantsEcho ? echo() : "" };
}

async function answerReply(
  { startCall }: Calling,
  dialect: Dialect,
  exchange: Exchange,
  settings: SharedSettings,
  { calls: planned, warnings: ofReply, resume, echo: own }: PlannedReply,
): Promise<HttpReply> {
  const room = roomForMessages(own.length);
  const outcomes = await runCalls(startCall, exchange, settings, toBatch(planned), room, copiesOf(planned));
  const ended = withOutcomes(planned, outcomes);
  const echo = withoutNulls(dialect, own);
  const wholeEcho = repairJsonText(echo);
  const results = dialect
    .writeResults(ended.map(toCallResult))
    .filter((text) => text !== "")
    .join(",");
  const wholeResults = repairJsonText(results);
  const isRepaired = wholeEcho !== echo || wholeResults !== results;
  const warnings = [
    ...ofReply,
    ...(echo === own
      ? []
      : [{ call: null, message: "Members of the reply that are null were left out: the provider refuses them." }]),
    ...ended.flatMap(warnOfHalves),
    ...ended.flatMap((call, index) => warnOfHidden(dialect, call, index)),
    ...(isRepaired
      ? [{ call: null, message: "A message contained half a surrogate pair. It was replaced by U+FFFD." }]
      : []),
  ];
  const done = planned.length === 0 && !resume;
  const between = echo !== "" && results !== "" ? "," : "";
  const rest = `],"results":[${ended.flatMap(resultTexts).join(",")}],"done":${done}${resume ? ',"resume":true' : ""},"warnings":${repairJsonText(JSON.stringify(warnings))}}`;
  return textReply(['{"messages":[', wholeEcho, between, wholeResults, rest]);
}

/** It may contain several messages, separated by commas. */
function withoutNulls({ refusedNulls }: Dialect, echo: string): string {
  if (echo === "" || refusedNulls === undefined || !mayContainRefusedNull(echo, refusedNulls)) return echo;
  const list = `[${echo}]`;
  const written = omitNulls(list, refusedNulls);
  return written === list ? echo : written.slice(1, -1);
}

function warnOfHalves({ call: { twinOf }, outcomes }: EndedReplyCall, call: number): ReplyWarning[] {
  if (twinOf !== undefined) return [];
  const isRepaired = outcomes.some((outcome) => wasRepaired(outcome.status === "ok" ? outcome : outcome.error));
  const message = "The result of this call contained half a surrogate pair. It was replaced by U+FFFD.";
  return isRepaired ? [{ call, message }] : [];
}

function warnOfHidden(dialect: Dialect, ended: EndedReplyCall, call: number): ReplyWarning[] {
  const message = describeHidden(dialect, ended);
  return message === undefined ? [] : [{ call, message }];
}

/**
 * By the call's own id, or its index in the reply if it has none. A call that repeats another one has no entry of its
 * own.
 */
function resultTexts({ call, runs, outcomes }: EndedReplyCall, index: number): string[] {
  if (call.twinOf !== undefined) return [];
  const id = call.id ?? String(index);
  return runs.map(({ name }, at) => callResultJson(id, name === "" ? null : name, outcomes[at]!));
}

/** @throws CallError `bad_request` if it is not a reply of the provider */
function readReply(dialect: Dialect, source: JsonSource): ModelReply {
  try {
    return dialect.readReply(source);
  } catch (error) {
    if (!(error instanceof NotAReply)) throw error;
    const isError = (ownMember(source.value, "error") ?? null) !== null;
    const what = isError ? "an error, not a reply" : "not a reply";
    throw new CallError(
      "bad_request",
      `The body is ${what} in the format "${dialect.name}". ${error.message}${formatHint(source.value, dialect.name)}`,
    );
  }
}
