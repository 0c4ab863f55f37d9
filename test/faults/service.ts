import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";
import type { AnswerBody } from "../http/app-in-memory.ts";
import { exchangeText, requestText } from "../http/node/raw-socket.ts";

/** The built service as a process of its own, with the tools of `tools/` beside this file. */
export interface Service {
  readonly port: number;
  readonly pid: number;
  /** What it wrote to stderr so far. */
  readonly log: string;
  /** The lines of its log so far. */
  readonly entries: ReadonlyArray<Readonly<Record<string, unknown>>>;
  signal(name: NodeJS.Signals): void;
  /** The code that it ended with; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface ServiceSettings {
  /** What stands in its `toolhost.yaml`. JSON is YAML. @default none */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node. */
  readonly node?: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
  /** `ok` or the error code. */
  readonly code: string;
}

// `npm test` builds first: what runs here is what is shipped.
const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const tools = fileURLToPath(new URL("tools", import.meta.url));
const startLimitMs = 10_000;

/** A service for all the tests of a file or of a `describe`. */
export function sharedService(settings: ServiceSettings = {}): () => Service {
  let service: Service | undefined;
  beforeAll(async () => void (service = await spawnService(settings)), 20_000);
  afterAll(() => service?.stop());
  return () => service!;
}

/** A service for one test. */
export async function ownService(settings: ServiceSettings = {}): Promise<Service> {
  const service = await spawnService(settings);
  onTestFinished(() => service.stop());
  return service;
}

/** @throws Error with its log where it ends before it answers */
export async function spawnService({ config, env = {}, node = [] }: ServiceSettings): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-faults-"));
  const file = join(folder, "toolhost.yaml");
  if (config !== undefined) writeFileSync(file, JSON.stringify(config));
  const child = spawn(process.execPath, [...node, main, "serve"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      TOOLHOST_TOOLS: tools,
      TOOLHOST_BUNDLED: "off",
      ...(config !== undefined && { TOOLHOST_CONFIG: file }),
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (log += text));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const giveUpAt = performance.now() + startLimitMs;
  let url: string | undefined;
  while ((url = /"url":"([^"]+)","msg":"listening"/.exec(log)?.[1]) === undefined) {
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      await stop();
      throw new Error(`The service did not start: ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    port: Number(new URL(url).port),
    pid: child.pid!,
    get log() {
      return log;
    },
    get entries() {
      return log.split("\n").flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line)] : []));
    },
    signal: (name) => void child.kill(name),
    exited,
    stop,
  };
}

/** Posts a body to a tool on a connection of its own, byte for byte. An undefined header is not sent. */
export async function call(
  { port }: Service,
  tool: string,
  body: string | Uint8Array | object = {},
  headers: Readonly<Record<string, string | undefined>> = {},
  withinMs = 10_000,
): Promise<Answer> {
  const isBytes = typeof body === "string" || body instanceof Uint8Array;
  const bytes = Buffer.from(isBytes ? body : JSON.stringify(body));
  const all = { "content-type": "application/json", "content-length": String(bytes.length), ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const head = requestText(`POST /tools/${tool}/invoke`, { headers: sent });
  return readAnswer(await exchangeText(port, Buffer.concat([Buffer.from(head), bytes]), withinMs));
}

/** The answer to a request that is written out. */
export async function ask({ port }: Service, request: string | Uint8Array, withinMs = 10_000): Promise<Answer> {
  return readAnswer(await exchangeText(port, request, withinMs));
}

/** Every answer that a fault gets is JSON in the one shape; one that is not fails its test here. */
export function readAnswer({
  status,
  headers,
  body: text,
}: {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}): Answer {
  expect(headers["content-type"], text).toBe("application/json");
  const body = JSON.parse(text) as AnswerBody;
  if (status !== 200) expect(body.status).toBe("error");
  if (body.error !== undefined) {
    expect(body.error).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
      retryable: expect.any(Boolean),
    });
  }
  return { status, headers, body, code: body.error?.code ?? "ok" };
}

export async function get({ port }: Service, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** What the tools counted: how many calls of `hold` were started and aborted, and runs by tool. */
export async function counters(service: Service): Promise<Readonly<Record<string, number>>> {
  return (await call(service, "counters")).body.result as Record<string, number>;
}

/** After a fault the service answers at once, has nothing in flight that the fault left, and lost no error. */
export async function expectAlive(service: Service, headers: Record<string, string> = {}): Promise<void> {
  const start = performance.now();
  expect((await get(service, "/healthz")).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(1000);
  await vi.waitFor(
    async () =>
      expect(await (await get(service, "/metrics", headers)).text()).toContain("toolhost_calls_in_flight 0\n"),
    { timeout: 5000, interval: 20 },
  );
  expect(service.entries.filter(({ msg }) => msg === "fault" || msg === "an error was thrown and not caught")).toEqual(
    [],
  );
}

/** The memory of the process that is in use, in bytes. */
export async function residentBytes(service: Service): Promise<number> {
  const text = await (await get(service, "/metrics")).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
}
