import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { sha256 } from "../../src/access/keys.ts";
import { createRegistry, type Registry, type RegistrySettings } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { createServer } from "../../src/http/node/server.ts";
import { createWorkersDoor } from "../../src/workers/door.ts";
import type { WorkerToken } from "../../src/workers/tokens.ts";
import { createWorkers, type Workers } from "../../src/workers/workers.ts";
import { toolOf } from "../core/one-tool.ts";

/** What a request was answered. */
export interface Reply<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The outcome of a call. */
export interface CallOutcome {
  readonly status: "ok" | "error";
  readonly callId: string;
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>> & { readonly code: string; readonly message: string };
}

/** A service with workers on a real port, until the test ends. */
export interface WorkerService {
  readonly url: string;
  readonly server: Server;
  readonly registry: Registry;
  readonly workers: Workers;
  /** Sends a request of a worker. */
  ask<Body = unknown>(method: string, path: string, body?: unknown, init?: AskOptions): Promise<Reply<Body>>;
  /** Calls a tool. */
  call(name: string, args?: object, headers?: Readonly<Record<string, string>>, query?: string): Promise<CallOutcome>;
}

export interface AskOptions {
  readonly token?: string;
  readonly signal?: AbortSignal;
}

export interface WorkerServiceOptions {
  /** Tokens by their text. @default one, that may offer any tool */
  readonly tokens?: Readonly<Record<string, Partial<WorkerToken>>>;
  readonly leaseMs?: number;
  readonly tools?: readonly Partial<Tool>[];
  /** @default calls wait for a minute, so that no test depends on how busy the machine is */
  readonly settings?: RegistrySettings;
  readonly app?: Partial<AppOptions>;
  readonly observer?: Parameters<typeof createRegistry>[0] extends infer Options
    ? Options extends { observer?: infer Observer }
      ? Observer
      : never
    : never;
}

export const token = "the-token-of-the-workers";

/** The settings of tokens that are given in plain text. */
export function tokensOf(tokens: Readonly<Record<string, Partial<WorkerToken>>>): WorkerToken[] {
  return Object.entries(tokens).map(([text, settings]) => ({ name: text, sha256: sha256(text), ...settings }));
}

export async function startWorkerService(options: WorkerServiceOptions = {}): Promise<WorkerService> {
  const { tokens = { [token]: {} }, leaseMs, tools = [], settings, app = {}, observer } = options;
  const registry = createRegistry({ env: {}, tools: tools.map(toolOf), ...(observer !== undefined && { observer }) });
  registry.configure({ queueMs: 60_000, ...settings });
  const workers = createWorkers({
    registry,
    isSourceName: (name) => name === "pets",
    ...(leaseMs !== undefined && { leaseMs }),
  });
  workers.configure(tokensOf(tokens));
  const server = createServer({ app: createApp({ registry, ...app, doors: [createWorkersDoor(workers)] }) });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    registry,
    workers,
    ask: <Body>(method: string, path: string, body?: unknown, init: AskOptions = {}) =>
      mayBeCut(async () => {
        const text = typeof body === "string" ? body : JSON.stringify(body);
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${init.token ?? token}`,
            ...(text !== undefined && { "content-type": "application/json" }),
          },
          ...(text !== undefined && { body: text }),
          ...(init.signal !== undefined && { signal: init.signal }),
        });
        const answer = await response.text();
        const read = (answer === "" ? undefined : JSON.parse(answer)) as Body;
        return { status: response.status, headers: response.headers, body: read };
      }),
    call: (name, args = {}, headers = {}, query = "") =>
      mayBeCut(async () => {
        const response = await fetch(`${url}/tools/${name}/invoke${query}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(args),
        });
        return (await response.json()) as CallOutcome;
      }),
  };
}

/** A request that a test does not wait for is cut off at the end of the test. */
function mayBeCut<T>(send: () => Promise<T>): Promise<T> {
  const answer = send();
  answer.catch(() => undefined);
  return answer;
}
