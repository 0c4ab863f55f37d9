import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Service } from "../../src/service/service.ts";
import type { Door } from "../../src/http/door.ts";
import type { ConfigWatch } from "../../src/service/watch-config.ts";
import type { ConfiguredSource } from "../../src/sources/sources.ts";
import type { ServiceLog } from "../../src/telemetry/log.ts";
import { importBuilt } from "../sources/folder/tools-folder.ts";

export type LogEntry = Readonly<Record<string, unknown>>;

/** A service of this process, without signals and without a socket, over a folder that the test may change. */
export interface ServiceInMemory {
  readonly service: Service;
  /** Where `toolhost.yaml` and the folders of tools are. */
  readonly folder: string;
  readonly entries: LogEntry[];
  write(files: Readonly<Record<string, string>>): void;
  /** Reads the configuration and the tools again, as a signal does. @throws ConfigError */
  reload(): Promise<void>;
  /** Does so from now on when a file has changed, as the process does. */
  watch(): ConfigWatch;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The result of a call, or the code of its error. */
  call(name: string, args?: object, headers?: Record<string, string>): Promise<unknown>;
}

/** The hash of the key `key`. */
export const keyHash = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";

/**
 * @param files by their paths in the folder; without a `toolhost.yaml` the service has the tools of the folder `tools`
 * @param moreSources that rank behind those of the file
 * @param doors beside the service's own routes
 */
export async function startInMemory(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  moreSources: readonly ConfiguredSource[] = [],
  doors: readonly Door[] = [],
): Promise<ServiceInMemory> {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  write({ "toolhost.yaml": "tools: [{ folder: ./tools }]\n", ...files });
  // What is built: Node's own import loads a changed module again, and that of the tests does not.
  const { createService } = await importBuilt<typeof import("../../src/service/service.ts")>("service/service.js");
  const { watchConfig } =
    await importBuilt<typeof import("../../src/service/watch-config.ts")>("service/watch-config.js");
  const { readConfigWithOrigins, rereadConfig } =
    await importBuilt<typeof import("../../src/config/read-config.ts")>("config/read-config.js");
  const { createLogger } = await importBuilt<typeof import("../../src/telemetry/logger.ts")>("telemetry/logger.js");

  const entries: LogEntry[] = [];
  const log: ServiceLog = {
    log: createLogger("info", (line) => void entries.push(JSON.parse(line) as LogEntry)),
    fd: 2,
    call: ({ tool, caller, code }) => void entries.push({ msg: "call", tool, caller, code }),
    tool: () => undefined,
    always: () => undefined,
    written: () => Promise.resolve(),
    end: () => undefined,
  };
  const variables = { TOOLHOST_BUNDLED: "off", ...env };
  let reading = await readConfigWithOrigins([], variables, folder);
  const reread = (inForce = reading) => rereadConfig(inForce, [], variables, folder);
  const service = createService({
    config: reading.config,
    log,
    env: variables,
    moreSources,
    doors,
    onFilesChange: () => watching?.filesChanged(),
  });
  let watching: ConfigWatch | undefined;
  onTestFinished(async () => {
    watching?.end();
    await service.drain();
  });
  await service.start();
  return {
    service,
    folder,
    entries,
    write,
    async reload() {
      const next = await reread();
      await service.reload(next.config);
      reading = next;
    },
    watch: () => (watching = watchConfig({ service, log: log.log, reading, mark: undefined, reread })),
    get: async (path, headers = {}) => service.request(path, { headers }),
    async call(name, args = {}, headers = {}) {
      const answer = await service.request(`/tools/${name}/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(args),
      });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: string } };
      return error?.code ?? result;
    },
  };
}

/** Lets the calls end that were made with `isHeld`. */
export function releaseCalls(): void {
  for (const release of heldCalls.splice(0)) release();
}

// The tools are modules that Node loads apart from those of the tests.
const heldCalls: (() => void)[] = [];
Reflect.set(globalThis, "heldCalls", heldCalls);

/** A tool that returns a text, after `ms` if a call says so, or with `isHeld` when {@link releaseCalls} is called. */
export function toolFile(name: string, result: string): string {
  return `export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" },
  async execute({ ms = 0, isHeld = false }, { signal }) {
    await new Promise((resolve) => {
      if (isHeld) globalThis.heldCalls.push(resolve);
      else setTimeout(resolve, ms);
      signal.addEventListener("abort", resolve);
    });
    return "${result}";
  } };\n`;
}
