import { cancel, type Cancellation } from "../core/call/call.ts";
import { parentFrom } from "../core/call/span.ts";
import type { StartCall } from "../core/call/start-call.ts";
import { type Outcome, resultJson } from "../core/outcome.ts";
import type { ErrorBody } from "../errors/errors.ts";
import { isJsonObject } from "../json/object.ts";
import type { Answers } from "./answers.ts";

/** Runs the calls that a service hands out, and gives their outcomes to the answers of their worker. */
export interface Calls {
  /** The number of running calls. */
  readonly running: number;
  /**
   * The calls of one worker: the service knows each registration as another one.
   * @param onIdle is called when its last running call has ended
   */
  open(answers: Answers, onIdle: () => void): WorkerCalls;
}

export interface WorkerCalls {
  /** @param handed an item of `calls`, whatever it is */
  start(handed: unknown): void;
  cancel(callId: string): void;
  cancelAll(): void;
  /** The number of its calls that run. */
  readonly running: number;
}

export interface CallsOptions {
  readonly startCall: StartCall;
  /** Called when a call has ended. */
  readonly onEnd: () => void;
}

/** The caller in the log of this machine. The service has checked who really calls, and what it may use. */
const service = { id: "toolhost" };

export function createCalls({ startCall, onEnd }: CallsOptions): Calls {
  let running = 0;
  return {
    get running() {
      return running;
    },
    open(answers, onIdle) {
      const cancellations = new Map<string, Cancellation>();
      return {
        get running() {
          return cancellations.size;
        },
        start(handed) {
          const call = readCall(handed);
          if (call === undefined || cancellations.has(call.callId)) return;
          const { callId, traceparent, ...rest } = call;
          const cancellation: Cancellation = { cancelled: false, target: undefined };
          cancellations.set(callId, cancellation);
          running++;
          const whole = {
            ...rest,
            callId,
            caller: service,
            cancellation,
            // The service counts the slots: one that it has handed out is only late here.
            patient: true,
            parent: traceparent === undefined ? undefined : parentFrom({ traceparent }),
            listener: {
              onProgress: (progress: object) => answers.progress(callId, JSON.stringify(progress)),
              onLog: (level: string, message: string, fields?: object) => {
                const json = writeLog({ level, message, fields });
                if (json !== undefined) answers.log(callId, json);
              },
            },
          };
          startCall(whole, (outcome) => {
            cancellations.delete(callId);
            running--;
            if (!cancellation.cancelled) answers.end(callId, answerOf(outcome));
            onEnd();
            if (cancellations.size === 0) onIdle();
          });
        },
        cancel(callId) {
          const cancellation = cancellations.get(callId);
          if (cancellation !== undefined) cancel(cancellation);
        },
        cancelAll() {
          for (const cancellation of cancellations.values()) cancel(cancellation);
        },
      };
    },
  };
}

interface HandedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly timeoutMs?: number;
  readonly session?: string;
  readonly traceparent?: string;
}

function readCall(handed: unknown): HandedCall | undefined {
  if (!isJsonObject(handed)) return undefined;
  const { callId, tool, arguments: args, timeoutMs, session, traceparent } = handed;
  if (typeof callId !== "string" || typeof tool !== "string") return undefined;
  return {
    callId,
    name: tool,
    arguments: args,
    ...(typeof timeoutMs === "number" && { timeoutMs: Math.max(1, timeoutMs) }),
    ...(typeof session === "string" && { session }),
    ...(typeof traceparent === "string" && { traceparent }),
  };
}

/** @returns the member of an answer */
function answerOf(outcome: Outcome): string {
  return outcome.status === "ok"
    ? `"result":${resultJson(outcome)}`
    : `"error":${JSON.stringify(errorOf(outcome.error))}`;
}

/** The service takes a message, `retryable` and `details`; what else a failure here has is in the details. */
function errorOf({ code, message, retryable, details, ran, issues, upstream, retryAfterMs }: ErrorBody): object {
  const more = code === "tool_failed" ? undefined : { code, ran, issues, upstream, retryAfterMs };
  return { message, retryable, details: details ?? more };
}

/** Tools may log any value. @returns undefined for a cycle, a BigInt, or a getter that throws */
function writeLog(entry: object): string | undefined {
  try {
    return JSON.stringify(entry);
  } catch {
    return undefined;
  }
}
