import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** `toolhost serve` as a process of its own, to be loaded. */
export interface LoadedService {
  readonly port: number;
  /** The result of a tool. @throws Error where the call does not succeed */
  call(tool: string, args?: object): Promise<Record<string, unknown>>;
  isReady(): Promise<boolean>;
  /** A gauge of `/metrics`. */
  metric(name: string): Promise<number>;
  /** SIGTERM, and what it exits with; null where it had to be killed. */
  stop(): Promise<number | null>;
}

export interface LoadedServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** The text of a `toolhost.yaml`. @default none */
  readonly config?: string;
}

const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const tools = ["../http/fixtures/tools", "fixtures/tools"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const stopLimitMs = 30_000;

/** @throws Error with what it wrote, where it ends before it listens */
export async function startLoadedService(options: LoadedServiceOptions = {}): Promise<LoadedService> {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-load-"));
  const configFile = join(folder, "toolhost.yaml");
  if (options.config !== undefined) writeFileSync(configFile, options.config);
  const child = spawn(process.execPath, [...(options.nodeFlags ?? []), main, "serve"], {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      TOOLHOST_TOOLS: tools.join(":"),
      TOOLHOST_BUNDLED: "off",
      LOG_LEVEL: "error",
      ...(options.config !== undefined && { TOOLHOST_CONFIG: configFile }),
      ...options.env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (log = (log + text).slice(-20_000)));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  void exited.then(() => rmSync(folder, { recursive: true, force: true }));

  let url: string | undefined;
  while (url === undefined) {
    if (child.exitCode !== null) throw new Error(`The service ended before it answered: ${log.trim()}`);
    await sleep(5);
    url = /"url":"([^"]+)","msg":"listening"/.exec(log)?.[1];
  }
  const base = url;
  return {
    port: Number(new URL(base).port),
    async call(tool, args = {}) {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(args) };
      const body = (await (await fetch(new URL(`/tools/${tool}/invoke`, base), init)).json()) as Record<
        string,
        unknown
      >;
      if (body["status"] !== "ok") throw new Error(`${tool} answered ${JSON.stringify(body)}`);
      return body["result"] as Record<string, unknown>;
    },
    isReady: async () => (await fetch(new URL("/readyz", base)).catch(() => undefined))?.status === 200,
    async metric(name) {
      const text = await (await fetch(new URL("/metrics", base))).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    },
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
  };
}

/** The bytes of a call over a connection that is kept. */
export function callBytes(tool: string, args: object, headers = ""): Buffer {
  const body = JSON.stringify(args);
  const length = Buffer.byteLength(body);
  const head = `POST /tools/${tool}/invoke HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
  return Buffer.from(`${head}${headers}content-length: ${length}\r\n\r\n${body}`);
}
