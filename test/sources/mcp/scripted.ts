import { fileURLToPath } from "node:url";
import { beforeAll, onTestFinished } from "vitest";
import { invoke } from "../../../src/core/call/invoke.ts";
import type { Call } from "../../../src/core/call/call.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import { createRegistry, type Registry, type RegistryOptions } from "../../../src/core/registry/registry.ts";
import type { Source, SourceStatus } from "../../../src/core/source.ts";
import { createMcpSource } from "../../../src/sources/mcp/source.ts";
import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import { createSources, type Sources } from "../../../src/sources/sources.ts";

/** What `scripted-server.mjs` is told at its start. */
export interface Script {
  readonly tools?: readonly unknown[];
  readonly [field: string]: unknown;
}

export const scriptFile = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));

/** The command of a scripted server. */
export function commandOf(script: Script): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [scriptFile, JSON.stringify(script)] };
}

const times = { firstRetryMs: 5, longestRetryMs: 50, noticeMs: 5, noticeIntervalMs: 50 };

/** A registry with the tools of a scripted server, called `s_<name>`. */
export interface Hosted {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly source: Source;
  /** Lines that the server wrote for people. */
  readonly output: readonly string[];
  status(): SourceStatus;
  call(name: string, args?: Record<string, unknown>, rest?: Partial<Call>): Promise<Outcome>;
  /** Changes the script of the running server. */
  control(script: Record<string, unknown>, more?: Record<string, unknown>): Promise<Outcome>;
}

/** Starts a source over a scripted server, which is closed at the end of the test. */
export async function host(script: Script, setting: Partial<McpSetting> = {}, readLimitMs = 30_000): Promise<Hosted> {
  return hostSetting({ mcp: commandOf(script), ...setting }, readLimitMs);
}

/** Starts one server for all tests of a file that leave it as it is. */
export function hostForAll(script: Script): () => Hosted {
  let hosted: Hosted;
  beforeAll(async () => {
    let end: (() => Promise<void>) | undefined;
    hosted = await openHost({ mcp: commandOf(script) }, { onEnd: (close) => (end = close) });
    return end;
  });
  return () => hosted;
}

export async function hostSetting(
  setting: McpSetting,
  readLimitMs = 30_000,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  options: RegistryOptions = {},
): Promise<Hosted> {
  return openHost(setting, { readLimitMs, fetch, options, onEnd: onTestFinished });
}

interface HostOptions {
  readonly readLimitMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly options?: RegistryOptions;
  /** Given what closes the source. */
  readonly onEnd: (close: () => Promise<void>) => void;
}

async function openHost(
  setting: McpSetting,
  { readLimitMs = 30_000, fetch = globalThis.fetch, options = {}, onEnd }: HostOptions,
): Promise<Hosted> {
  const registry = createRegistry(options);
  const sources = createSources({ registry, ...times, readLimitMs });
  const output: string[] = [];
  const source = createMcpSource({ name: "s", setting, fetch, onOutput: (line) => output.push(line) });
  onEnd(() => sources.close(10_000));
  await sources.configure([{ key: "s", open: () => source }], { waitsFor: "all" });
  const call: Hosted["call"] = (name, args = {}, rest = {}) =>
    invoke(registry, { name: `s_${name}`, arguments: args, ...rest });
  return {
    registry,
    sources,
    source,
    output,
    status: () => sources.status()[0]!,
    call,
    control: (changes, more = {}) => call("control", { script: changes, ...more }),
  };
}

/** The names of the tools in a registry. */
export function namesOf({ registry }: Hosted): string[] {
  return registry.list().map(({ tool }) => tool.name);
}
