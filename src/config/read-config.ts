import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Config, ListenAddress, ToolConfig } from "./config.ts";
import { refuseAny } from "./config-error.ts";
import { type Env, type Reading, readApiKeys, readBaseOrigins, readList } from "./environment.ts";
import { readNumber, readSwitch, readText } from "./environment.ts";
import type { FileReading } from "./file.ts";
import { parseFlags, serveFlags, type ToolFlags } from "./flags.ts";
import { isLoopback } from "./loopback.ts";

/** A configuration, and what is to be known to show it. */
export interface ConfigReading {
  readonly config: Config;
  /** Where values came from, by place. What is absent is a default. */
  readonly origins: ReadonlyMap<string, string>;
  /** Strings that must not be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Whether showing it is all that was asked for: `--print-config`. */
  readonly isToBePrinted: boolean;
}

type ServeFlags = ReturnType<typeof parseServeFlags>;

const defaultFile = "toolhost.yaml";
const defaultLimits = { bodyBytes: 1_048_576, callsInFlight: 10_000, queueMs: 1000, timeoutMs: 10_000 };
const noOverrides: Config["overrides"] = Object.freeze(Object.create(null) as Config["overrides"]);
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** What macOS has room for, Linux for four more. Longer ones are not refused there but cut off. */
const maxSocketPathBytes = 103;

/**
 * Reads the configuration: flags over environment over file over defaults. No other file reads the environment.
 * @param cwd where `toolhost.yaml` is looked for, and what relative paths in flags and variables start from
 * @throws ConfigError with every problem at once
 */
export async function readConfig(args: readonly string[], env: Env, cwd?: string): Promise<Config> {
  return (await readConfigWithOrigins(args, env, cwd)).config;
}

/**
 * Reads it again while the service runs. A file that was read before must still be there: without it the service would
 * forget who may call.
 * @throws ConfigError with every problem at once; what was read before still holds
 */
export async function rereadConfig(before: Config, args: readonly string[], env: Env, cwd?: string): Promise<Config> {
  const { configFile } = before;
  return readConfig(args, configFile === undefined ? env : { ...env, TOOLHOST_CONFIG: configFile }, cwd);
}

/** As `readConfig`, with where the values came from. */
export async function readConfigWithOrigins(args: readonly string[], env: Env, cwd?: string): Promise<ConfigReading> {
  const flags = parseServeFlags(args);
  const reading = startReading(env);
  const { problems, origins } = reading;
  const { file, tools } = await readTools(flags, reading, cwd);
  const logLevel = { name: "log-level", value: flags["log-level"] };
  const config: Config = {
    ...readAddress(flags, reading),
    ...tools,
    bundledTools: tools.bundledTools && flags["no-bundled"] !== true,
    apiKeys: readApiKeys(env, problems),
    logLevel: readText(reading, { place: "logLevel", variable: "LOG_LEVEL", flag: logLevel }) ?? "info",
    shutdownDelayMs: readShutdownMs(reading, "shutdownDelayMs", "SHUTDOWN_DELAY_MS", 0, 600_000),
    shutdownTimeoutMs: readShutdownMs(reading, "shutdownTimeoutMs", "SHUTDOWN_TIMEOUT_MS", 10_000, 3_600_000),
    auth: { keys: file?.settings.auth?.keys ?? [], jwt: file?.settings.auth?.jwt },
    hosts: file?.settings.hosts ?? [],
    origins: file?.settings.origins ?? [],
  };
  if (flags["no-bundled"] === true) origins.set("bundledTools", "--no-bundled");
  if (config.apiKeys.length > 0) origins.set("apiKeys", "TOOLHOST_API_KEYS");
  if (!logLevels.includes(config.logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  if (env["NATS_URL"]) problems.push("NATS_URL is set, but this version runs in one process only");
  checkAccess(config, file, reading);
  refuseAny(problems);
  const secrets = new Set([...config.apiKeys, ...(file?.secrets ?? [])]);
  return { config, origins, secrets, isToBePrinted: flags["print-config"] === true };
}

/**
 * What `list` and `call` need: neither a bad PORT nor a missing key is their business, but a broken file is.
 * @throws ConfigError
 */
export async function readToolConfig(flags: ToolFlags, env: Env, cwd?: string): Promise<ToolConfig> {
  const reading = startReading(env);
  const { tools } = await readTools(flags, reading, cwd);
  refuseAny(reading.problems);
  return tools;
}

/**
 * Where the service of these flags and variables listens. The file has no part in it, and may be broken.
 * @throws ConfigError
 */
export function readListenAddress(args: readonly string[], env: Env): ListenAddress {
  const reading = startReading(env);
  const address = readAddress(parseServeFlags(args), reading);
  refuseAny(reading.problems);
  return address;
}

function parseServeFlags(args: readonly string[]) {
  return parseFlags({ args: [...args], options: serveFlags }).values;
}

function startReading(env: Env): Reading {
  return { env, problems: [], origins: new Map() };
}

function readAddress(flags: ServeFlags, reading: Reading): ListenAddress {
  const socket = { name: "unix-socket", value: flags["unix-socket"] };
  const unixSocket = readText(reading, { place: "unixSocket", variable: "UNIX_SOCKET", flag: socket });
  if (Buffer.byteLength(unixSocket ?? "") > maxSocketPathBytes) {
    reading.problems.push(`UNIX_SOCKET must be a path of at most ${maxSocketPathBytes} bytes`);
  }
  const host = { place: "host", variable: "HOST", flag: { name: "host", value: flags.host } };
  const port = { place: "port", variable: "PORT", flag: { name: "port", value: flags.port } };
  return { host: readText(reading, host) ?? "127.0.0.1", port: readNumber(reading, port, 8080, 65_535), unixSocket };
}

function readShutdownMs(reading: Reading, place: string, variable: string, otherwise: number, most: number): number {
  return readNumber(reading, { place, variable }, otherwise, most);
}

async function readTools(
  flags: ToolFlags,
  reading: Reading,
  cwd = process.cwd(),
): Promise<{ file: FileReading | undefined; tools: ToolConfig }> {
  const { env, origins, problems } = reading;
  const configFile = findFile(flags, reading, cwd);
  // The YAML parser is loaded where there is something to parse.
  const file = configFile === undefined ? undefined : (await import("./file.ts")).readFile(configFile, reading);
  const settings = file?.settings ?? {};

  const folders = new Map<string, string>();
  const addFolders = (paths: readonly string[], origin: string): void => {
    // An empty name would be the working folder. One that is named twice is one.
    for (const path of paths.filter(Boolean).map((each) => resolve(cwd, each))) {
      if (!folders.has(path)) folders.set(path, origin);
    }
  };
  addFolders(flags.tools ?? [], "--tools");
  addFolders(env["TOOLHOST_TOOLS"]?.split(":") ?? [], "TOOLHOST_TOOLS");
  addFolders(file?.toolFolders ?? [], basename(configFile ?? ""));
  [...folders.values()].forEach((origin, index) => origins.set(`toolFolders[${index}]`, origin));

  const allowed = readList(env, "TOOLHOST_EGRESS_ALLOW", ",");
  if (allowed.length > 0) {
    const { checkEgressRules } = await import("./egress-rules.ts");
    problems.push(...checkEgressRules("TOOLHOST_EGRESS_ALLOW", allowed));
    allowed.forEach((_, index) => origins.set(`egress.allow[${index}]`, "TOOLHOST_EGRESS_ALLOW"));
  }
  const jwksUrl = settings.auth?.jwt?.jwksUrl;
  const jwksOrigins = jwksUrl === undefined ? [] : [new URL(jwksUrl).origin];
  const tools: ToolConfig = {
    toolFolders: [...folders.keys()],
    bundledTools: readSwitch(reading, { place: "bundledTools", variable: "TOOLHOST_BUNDLED" }, true),
    overrides: settings.overrides ?? noOverrides,
    limits: { ...defaultLimits, ...settings.limits },
    egress: {
      allow: [...allowed, ...(settings.egress?.allow ?? [])],
      origins: [...new Set([...readBaseOrigins(env), ...jwksOrigins])],
    },
    configFile,
  };
  return { file, tools };
}

/** @returns the file that is named, there or not; else the one in the working folder, where it is there */
function findFile(flags: ToolFlags, reading: Reading, cwd: string): string | undefined {
  const flag = { name: "config", value: flags.config };
  const named = readText(reading, { place: "configFile", variable: "TOOLHOST_CONFIG", flag });
  if (named !== undefined) return resolve(cwd, named);
  const file = resolve(cwd, defaultFile);
  try {
    // A link that leads nowhere is there: to start as if nobody had written a configuration would be worse.
    return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
  } catch {
    return file;
  }
}

/** Section 9 of the contract: who can be reached from other machines must know who may call. */
function checkAccess(
  { host, unixSocket, apiKeys, auth }: Config,
  file: FileReading | undefined,
  reading: Reading,
): void {
  const { env, problems } = reading;
  const insecure = readSwitch(reading, { place: "insecure", variable: "TOOLHOST_INSECURE" }, false);
  const isReachable = unixSocket === undefined && !isLoopback(host);
  const saysWhoMayCall = Boolean(env["TOOLHOST_API_KEYS"]) || file?.saysWhoMayCall === true;
  if (isReachable && !saysWhoMayCall && !insecure) {
    problems.push(
      `the address ${host} can be reached from other machines: set TOOLHOST_API_KEYS or auth in ${defaultFile}, or TOOLHOST_INSECURE=1 if that is meant`,
    );
  }
  const hashes = new Set(apiKeys.map((key) => createHash("sha256").update(key).digest("hex")));
  const twice = auth.keys.findIndex(({ sha256 }) => hashes.has(sha256));
  if (twice >= 0) problems.push(`auth.keys[${twice}] is in TOOLHOST_API_KEYS too, where it may use every tool`);
}
