import type { CallRecord } from "../core/observer.ts";
import { timeText } from "./time-text.ts";

let lastCaller = "";
let lastCallerJson = '""';

/**
 * A call as a line of the log. Written by hand, because there is one for every call: names of tools, codes and ids of
 * calls need no quoting, and one caller makes many calls.
 */
export function callLine(record: CallRecord): string {
  const { caller, requestId, traceId } = record;
  if (caller !== lastCaller) {
    lastCaller = caller;
    lastCallerJson = JSON.stringify(caller);
  }
  let line = `{"level":"info","time":"${timeText()}","callId":"${record.callId}","tool":"${record.tool}","caller":${lastCallerJson},"code":"${record.code}","ms":${roundMs(record.ms)}`;
  if (requestId !== undefined) line += `,"requestId":${JSON.stringify(requestId)}`;
  if (traceId !== undefined) line += `,"traceId":"${traceId}"`;
  return line + ',"msg":"call"}\n';
}

/** Rounds to microseconds. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
