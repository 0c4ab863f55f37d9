import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An answer, a progress or a log entry of a worker, as it sent it. */
export interface Sent {
  readonly callId: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly retryable?: boolean; readonly details?: unknown };
  readonly progress?: unknown;
  readonly log?: unknown;
}

export interface Poll {
  readonly workerId: string;
  readonly max: number;
  readonly waitMs: number;
}

export interface Registered {
  readonly name: string;
  readonly concurrency: number;
  readonly tools: readonly Record<string, unknown>[];
}

interface HandedOut {
  readonly callId: string;
  readonly tool: string;
  readonly arguments?: object;
  readonly timeoutMs?: number;
  readonly session?: string;
  readonly traceparent?: string;
}

interface Worker {
  /** It gets no more calls. */
  isLeaving: boolean;
  /** The calls that it was given. */
  readonly callIds: Set<string>;
  /** Cancellations that it must still get. */
  readonly cancelled: string[];
}

interface Waiting {
  readonly poll: Poll;
  answer(calls: readonly object[], cancelled: readonly string[]): void;
}

/** What it answers in place of the protocol: a status with a message, a body that is not JSON, or no answer at all. */
export type Fault = { readonly status: number; readonly message?: string; readonly text?: string } | "no answer";

/** The `/workers` of a service, written after docs/workers.md without our code. It holds polls until something comes. */
export interface StandInService {
  readonly url: string;
  readonly registered: readonly Registered[];
  readonly polls: readonly Poll[];
  /** The workers that left, by id. */
  readonly left: readonly string[];
  /** What came, by request: each with the id of its worker. */
  readonly requests: readonly { readonly workerId: string; readonly sent: readonly Sent[] }[];
  readonly authorizations: ReadonlySet<string | undefined>;
  /** All of `requests`, in order. */
  sent(): Sent[];
  /** Gives calls to the newest worker, as soon as it asks for so many. */
  handOut(...calls: readonly HandedOut[]): void;
  /** Tells the worker that has a call, or else the newest one, that the call was cancelled. */
  cancel(...callIds: readonly string[]): void;
  /** Knows no worker any more. */
  forget(): void;
  /** Gives its workers no more calls, as if they had left: they may answer the ones that they have. */
  retire(): void;
  /** Set to answer some requests otherwise. @returns undefined for the protocol's answer */
  fault: (method: string, path: string, body: string) => Fault | undefined;
}

export async function startStandIn({ leaseMs = 30_000 }: { leaseMs?: number } = {}): Promise<StandInService> {
  const known = new Map<string, Worker>();
  const waiting = new Map<string, Waiting>();
  const calls: HandedOut[] = [];
  const registered: Registered[] = [];
  const polls: Poll[] = [];
  const left: string[] = [];
  const requests: { workerId: string; sent: readonly Sent[] }[] = [];
  const authorizations = new Set<string | undefined>();
  let ids = 0;

  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const url = new URL(request.url ?? "", "http://localhost");
    const fault = standIn.fault(request.method ?? "", url.pathname, body);
    if (fault === "no answer") return void response.destroy();
    if (fault !== undefined) return give(response, fault.status, fault.text ?? errorText(fault.message));
    authorizations.add(request.headers.authorization);
    answer(request.method ?? "", url, body, response);
  });

  function answer(method: string, { pathname, searchParams }: URL, body: string, response: ServerResponse): void {
    const [, , workerId, what] = pathname.split("/");
    if (workerId === undefined) {
      const registration = JSON.parse(body) as Registered;
      registered.push(registration);
      const id = `w${++ids}`;
      known.set(id, { isLeaving: false, callIds: new Set(), cancelled: [] });
      const tools = registration.tools.map(({ name }) => ({ name, state: "added" }));
      return give(response, 201, JSON.stringify({ workerId: id, leaseMs, tools }));
    }
    if (method === "DELETE") {
      left.push(workerId);
      retire(workerId);
      return give(response, 204, "");
    }
    const worker = known.get(workerId);
    if (worker === undefined) return give(response, 404, errorText("There is no such worker."));
    if (what === "poll") {
      if (worker.isLeaving && searchParams.get("max") !== "0") return give(response, 404, errorText("It has left."));
      waiting.get(workerId)?.answer([], []);
      const poll = { workerId, max: Number(searchParams.get("max")), waitMs: Number(searchParams.get("waitMs")) };
      polls.push(poll);
      const timer = setTimeout(() => hold.answer([], []), poll.waitMs);
      const hold: Waiting = {
        poll,
        answer(given, ended) {
          clearTimeout(timer);
          waiting.delete(workerId);
          give(response, 200, JSON.stringify({ calls: given, cancelled: ended }));
        },
      };
      waiting.set(workerId, hold);
      return serve();
    }
    requests.push({ workerId, sent: (JSON.parse(body) as { answers: Sent[] }).answers });
    give(response, 204, "");
  }

  function retire(workerId: string): void {
    const worker = known.get(workerId);
    if (worker !== undefined) worker.isLeaving = true;
    waiting.get(workerId)?.answer([], []);
  }

  function serve(): void {
    const asking = [...waiting.values()];
    const taker = asking.filter(({ poll }) => poll.max > 0).at(-1);
    for (const hold of asking) {
      const worker = known.get(hold.poll.workerId);
      const ended = worker?.cancelled.splice(0) ?? [];
      const given = hold === taker ? calls.splice(0, hold.poll.max) : [];
      for (const { callId } of given) worker?.callIds.add(callId);
      if (given.length === 0 && ended.length === 0) continue;
      hold.answer(
        given.map((call) => ({ arguments: {}, timeoutMs: 10_000, attempt: 1, ...call })),
        ended,
      );
    }
  }

  /** A cancellation waits for the worker that has the call, also between two of its polls. */
  function cancel(callId: string): void {
    const workers = [...known.values()];
    const worker = workers.find(({ callIds }) => callIds.has(callId)) ?? workers.at(-1);
    worker?.cancelled.push(callId);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const standIn: StandInService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registered,
    polls,
    left,
    requests,
    authorizations,
    sent: () => requests.flatMap(({ sent }) => sent),
    handOut(...more) {
      calls.push(...more);
      serve();
    },
    cancel(...callIds) {
      for (const callId of callIds) cancel(callId);
      serve();
    },
    retire() {
      for (const workerId of known.keys()) retire(workerId);
    },
    forget() {
      known.clear();
      for (const hold of waiting.values()) hold.answer([], []);
    },
    fault: () => undefined,
  };
  return standIn;
}

function give(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, text === "" ? {} : { "content-type": "application/json" }).end(text);
}

function errorText(message = "It was refused."): string {
  return JSON.stringify({ status: "error", error: { code: "bad_request", message } });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
