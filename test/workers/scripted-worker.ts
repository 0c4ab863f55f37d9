import type { Reply, WorkerService } from "./worker-service.ts";

/** A declaration as a worker sends it. */
export function declarationOf(name: string, more: object = {}): Readonly<Record<string, unknown>> {
  return { name, description: `The tool ${name}.`, parameters: { type: "object" }, ...more };
}

export interface Registered {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly tools: readonly { readonly name: string; readonly state: string; readonly reason?: string }[];
}

export interface HandedOut {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly attempt: number;
  readonly session?: string;
  readonly traceparent?: string;
}

export interface Polled {
  readonly calls: readonly HandedOut[];
  readonly cancelled: readonly string[];
}

/** A worker that does what a test says, by the protocol and by nothing of our code. */
export interface ScriptedWorker {
  readonly registered: Registered;
  poll(query?: { readonly waitMs?: number; readonly max?: number }, signal?: AbortSignal): Promise<Reply<Polled>>;
  /** Polls until it gets a call. */
  next(): Promise<HandedOut>;
  answer(callId: string, body: unknown): Promise<Reply>;
  answerAll(answers: unknown): Promise<Reply>;
  leave(): Promise<Reply>;
}

export interface RegisterOptions {
  readonly name?: string;
  readonly concurrency?: number;
  readonly token?: string;
}

/** @throws Error if the registration is refused */
export async function register(
  service: WorkerService,
  tools: readonly unknown[],
  { token, ...options }: RegisterOptions = {},
): Promise<ScriptedWorker> {
  const init = token === undefined ? {} : { token };
  const { status, body } = await service.ask<Registered>(
    "POST",
    "/workers",
    { name: "billing", ...options, tools },
    init,
  );
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  const path = `/workers/${body.workerId}`;
  const worker: ScriptedWorker = {
    registered: body,
    poll({ waitMs = 5000, max = 10 } = {}, signal) {
      return service.ask("POST", `${path}/poll?waitMs=${waitMs}&max=${max}`, undefined, {
        ...init,
        ...(signal !== undefined && { signal }),
      });
    },
    async next() {
      for (;;) {
        const { status: answered, body: polled } = await worker.poll({ max: 1 });
        if (answered !== 200) throw new Error(`the poll was answered ${answered}`);
        const [call] = polled.calls;
        if (call !== undefined) return call;
      }
    },
    answer: (callId, answer) => service.ask("POST", `${path}/calls/${callId}`, answer, init),
    answerAll: (answers) => service.ask("POST", `${path}/calls`, { answers }, init),
    leave: () => service.ask("DELETE", path, undefined, init),
  };
  return worker;
}
