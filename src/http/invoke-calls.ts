import { type Call, cancel, type Cancellation } from "../core/call.ts";
import type { Caller } from "../core/caller.ts";
import { CallError, type Issue } from "../core/errors.ts";
import { invoke } from "../core/invoke.ts";
import { describeIssues, maxIssues } from "../core/issues.ts";
import { isJsonObject, type JsonDocument } from "../core/json.ts";
import { type Outcome, outcomeJson } from "../core/outcome.ts";
import type { Registry } from "../core/registry.ts";
import { failedOutcome } from "../core/running-call.ts";
import { unwatchDeparture, watchDeparture } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { type InvokeOptions, readCallSettings } from "./invoke-tool.ts";
import { readJsonBody } from "./json-body.ts";
import { readQuery } from "./query.ts";
import type { Reply } from "./reply.ts";
import { filterTools, refuseFormat } from "./tool-list.ts";

const maxCalls = 128;
const callsNames = ["names", "tags", "source", "format"] as const;

/** `POST /calls`: many calls at once, each with an outcome of its own, answered in the order they came. */
export async function invokeCalls(
  registry: Registry,
  options: InvokeOptions,
  exchange: Exchange,
  caller: Caller,
): Promise<Reply> {
  const query = readQuery(exchange.query, callsNames);
  refuseFormat(query.format);
  const settings = readCallSettings({ ...exchange, query: "" });
  const entries = readEntries(await readJsonBody(exchange, options.maxBodyBytes));
  const isRestricted = query.names !== undefined || query.tags !== undefined || query.source !== undefined;
  const only = isRestricted ? new Set(filterTools(registry, caller, query).map(({ tool }) => tool.name)) : undefined;

  const departure = watchDeparture(exchange);
  // One a call: a cancellation reaches a single call, and ends with it.
  const cancellations = entries.map((): Cancellation => ({ cancelled: departure.cancelled }));
  departure.onCancel = () => cancellations.forEach(cancel);
  const results = await Promise.all(
    entries.map(async (entry, index) => {
      const cancellation = cancellations[index];
      const outcome = await runEntry(registry, entry, { ...settings, caller, cancellation, only, patient: true });
      return resultJson(entry, index, outcome);
    }),
  );
  unwatchDeparture(exchange, departure);
  const body = `{"results":[${results.join(",")}]}`;
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

interface Entry {
  readonly value: unknown;
  /** What JSON allows in it and Toolhost refuses. */
  readonly issues: Issue[];
}

/** @throws CallError `bad_request` where the body as a whole is no list of calls */
function readEntries({ value, refusals }: JsonDocument): Entry[] {
  const calls = isJsonObject(value) ? value["calls"] : undefined;
  if (!Array.isArray(calls)) throw new CallError("bad_request", 'The body must be {"calls": […]}.');
  if (calls.length > maxCalls) throw new CallError("bad_request", `There may be at most ${maxCalls} calls.`);
  const entries = calls.map((call): Entry => ({ value: call, issues: [] }));
  for (const { path, reason } of refusals) {
    const [, index, rest = ""] = /^\/calls\/(\d+)(\/.*)?$/s.exec(path) ?? [];
    if (index === undefined) throw new CallError("bad_request", `The body is refused: ${reason}.`);
    entries[Number(index)]?.issues.push(issue(rest.replace(/^\/arguments/, ""), reason, "json"));
  }
  return entries;
}

async function runEntry(
  registry: Registry,
  { value, issues }: Entry,
  settings: Omit<Call, "name" | "arguments">,
): Promise<Outcome> {
  if (issues.length > 0) return notACall(issues);
  if (!isJsonObject(value)) return notACall([issue("", "must be an object with name and arguments", "type")]);
  const { name, hash } = value;
  if (typeof name !== "string") return notACall([issue("/name", "must be the name of a tool", "type")]);
  if (hash !== undefined && typeof hash !== "string") return notACall([issue("/hash", "must be a string", "type")]);
  const args = value["arguments"] === undefined ? {} : value["arguments"];
  return invoke(registry, { ...settings, name, arguments: args, hash });
}

function notACall(issues: readonly Issue[]): Outcome {
  const message = `This entry is no call that can be run: ${describeIssues(issues)}.`;
  return failedOutcome(new CallError("invalid_arguments", message, { issues: issues.slice(0, maxIssues) }));
}

function issue(path: string, message: string, keyword: string): Issue {
  return { path, message, keyword };
}

/** The caller's own id, or the entry's place in the list where it gave none. */
function resultJson({ value }: Entry, index: number, outcome: Outcome): string {
  const given = isJsonObject(value) ? value : {};
  const id = typeof given["id"] === "string" || Number.isFinite(given["id"]) ? given["id"] : String(index);
  const name = typeof given["name"] === "string" ? given["name"] : null;
  return `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},${outcomeJson(outcome).slice(1)}`;
}
