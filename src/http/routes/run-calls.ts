import { type Call, cancel, type Cancellation } from "../../core/call/call.ts";
import type { Caller, Names } from "../../core/caller.ts";
import type { StartCall } from "../../core/call/start-call.ts";
import { type Outcome, outcomeJson } from "../../core/outcome.ts";
import { type BatchEntry, runBatch } from "../../core/call/batch.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { repairJsonText } from "../../json/well-formed.ts";
import { unwatchDeparture, watchDeparture } from "../node/connections.ts";
import type { Exchange } from "../exchange.ts";
import type { ResultRoom } from "./result-room.ts";
import { type FilterQuery, readFilter } from "./tool-list.ts";

/** The common settings of the calls of a request. */
export interface SharedSettings extends Pick<Call, "only" | "session" | "parent" | "headers"> {
  readonly caller: Caller;
}

/**
 * Runs calls concurrently. Each has its own outcome, in the order of the calls; all are cancelled when the client
 * leaves.
 * @param copies how often the answer repeats the outcome of each call @default once
 */
export async function runCalls(
  startCall: StartCall,
  exchange: Exchange,
  settings: SharedSettings,
  calls: readonly BatchEntry[],
  room: ResultRoom,
  copies?: readonly number[],
): Promise<Outcome[]> {
  const departure = watchDeparture(exchange);
  // One per call: a cancellation affects a single call, and ends with it.
  const cancellations = calls.map((): Cancellation => ({ cancelled: departure.cancelled }));
  departure.target = { cancel: () => cancellations.forEach(cancel) };
  const { caller, only, session, parent, headers } = settings;
  const { requestId } = exchange;
  const outcomes = await runBatch(calls, (call, index, done) => {
    // Field by field: copies of two objects cost as much as the checks of a call.
    const { name, hash, repair, repairs, modelCallId } = call;
    startCall(
      {
        name,
        callId: undefined,
        arguments: call.arguments,
        caller,
        cancellation: cancellations[index],
        requestId,
        session,
        parent,
        timeoutMs: undefined,
        repair,
        repairs,
        hash,
        only,
        headers,
        modelCallId,
        patient: true,
      },
      (outcome) => done(room.take(outcome, copies?.[index])),
    );
  });
  unwatchDeparture(exchange, departure);
  return outcomes;
}

/** The names that a query's `names`, `tags` and `source` allow; undefined if it restricts nothing. */
export function readRestriction(registry: Registry, query: FilterQuery): Names | undefined {
  const isChosen = readFilter(query);
  if (query.names === undefined && query.tags === undefined && query.source === undefined) return undefined;
  return {
    has(name) {
      const tool = registry.find(name) ?? registry.findUnread(name);
      return tool !== undefined && isChosen(tool);
    },
  };
}

/** One of the `results` of an answer. */
export function callResultJson(id: string | number, name: string | null, outcome: Outcome): string {
  const own = `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  return `${repairJsonText(own)},${outcomeJson(outcome).slice(1)}`;
}
