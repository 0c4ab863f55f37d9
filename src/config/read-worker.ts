import { basename, resolve } from "node:path";
import { parseUrl } from "../net/parse-url.ts";
import type { ToolConfig } from "./config.ts";
import { throwProblems } from "./config-error.ts";
import { defaultConfigLimits } from "./default-limits.ts";
import { type Env, type EnvironmentReading, nameOf, readNumber, readText, startReading } from "./environment.ts";
import { findMissingFolders } from "./missing-folders.ts";
import { readEgress } from "./read-egress.ts";
import { readLogLevel } from "./read-log-level.ts";

/** What `toolhost worker` offers, and to whom. */
export interface WorkerConfig {
  /** The URL of the service's `/workers`. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
  /** The number of calls that run at once. */
  readonly concurrency: number;
  readonly tools: ToolConfig;
  readonly logLevel: string;
  readonly shutdownTimeoutMs: number;
}

export interface WorkerFlags {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly "log-level"?: string | undefined;
}

const defaultUrl = "http://127.0.0.1:8080";
const defaultConcurrency = 100;
const maxConcurrency = 1000;

/**
 * Reads no file: a `toolhost.yaml` of the working folder is the service's.
 * @param folders of the command line, which contain tool folders
 * @throws ConfigError with every problem at once
 */
export async function readWorkerConfig(
  folders: readonly string[],
  flags: WorkerFlags,
  env: Env,
  cwd: string,
): Promise<WorkerConfig> {
  const reading = startReading(env);
  const { problems } = reading;
  const inEnvironment = env["TOOLHOST_TOOLS"]?.split(":") ?? [];
  const named = [
    ...folders.map((path) => ({ path, setting: "worker" })),
    ...inEnvironment.map((path) => ({ path, setting: "TOOLHOST_TOOLS" })),
  ]
    .filter(({ path }) => path !== "")
    .map(({ path, setting }) => ({ path: resolve(cwd, path), setting }));
  const paths = [...new Set(named.map(({ path }) => path))];
  if (paths.length === 0) problems.push("name the folder that contains the tool folders: toolhost worker ./tools");
  problems.push(...findMissingFolders(named, []));
  const config: WorkerConfig = {
    url: readUrl(flags, reading),
    token: readToken(reading),
    name: readName(flags.name, paths[0] ?? "", problems),
    concurrency: readConcurrency(flags, reading),
    tools: {
      sources: paths.map((folder) => ({ folder })),
      bundledTools: false,
      workerTokens: [],
      // The limit of each call comes with it, and the service checks the results: an operator may change both there.
      overrides: { "*": { timeoutMs: 900_000, response: "off" } },
      limits: defaultConfigLimits,
      egress: await readEgress(reading),
      auth: { keys: [], jwt: undefined },
      configFile: undefined,
    },
    logLevel: readLogLevel(reading, flags["log-level"]),
    shutdownTimeoutMs: readNumber(
      reading,
      { place: "shutdownTimeoutMs", variable: "SHUTDOWN_TIMEOUT_MS" },
      10_000,
      3_600_000,
    ),
  };
  throwProblems(problems);
  return config;
}

function readUrl(flags: WorkerFlags, reading: EnvironmentReading): string {
  const flag = { name: "url", value: flags.url };
  const setting = { place: "url", variable: "TOOLHOST_URL", flag };
  const text = readText(reading, setting) ?? defaultUrl;
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") {
    reading.problems.push(
      `${nameOf(setting)} must be the URL of a running Toolhost, such as ${defaultUrl}, without a password`,
    );
    return "";
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/workers`;
}

/** It has no flag: other users of the machine can read the command line of a process. */
function readToken({ env, problems }: EnvironmentReading): string {
  const token = env["TOOLHOST_WORKER_TOKEN"] ?? "";
  if (token === "") problems.push("TOOLHOST_WORKER_TOKEN must be set to a token of the service's workers");
  else if (!/^[\x21-\x7e]+$/.test(token)) {
    problems.push("TOOLHOST_WORKER_TOKEN contains characters that a header cannot contain");
  }
  return token;
}

/** Without the flag it is that of the first folder: a new version of the tools must come under the same name. */
function readName(flag: string | undefined, folder: string, problems: string[]): string {
  if (flag !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(flag)) {
    problems.push("--name must be 1 to 64 letters, digits, hyphens and underscores");
  }
  return (
    flag ??
    (basename(folder)
      .replaceAll(/[^a-zA-Z0-9_-]/g, "_")
      .slice(0, 64) ||
      "root")
  );
}

function readConcurrency({ concurrency }: WorkerFlags, reading: EnvironmentReading): number {
  if (concurrency === undefined) return defaultConcurrency;
  const value = /^\d{1,4}$/.test(concurrency) ? Number(concurrency) : 0;
  if (value < 1 || value > maxConcurrency) {
    reading.problems.push(`--concurrency must be a whole number from 1 to ${maxConcurrency}`);
  }
  return value;
}
