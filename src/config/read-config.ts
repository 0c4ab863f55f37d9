import { basename } from "node:path";
import { sha256 } from "../access/keys.ts";
import type { Config, ListenAddress } from "./config.ts";
import { ConfigError, throwProblems } from "./config-error.ts";
import {
  type Env,
  type EnvironmentReading,
  readApiKeys,
  readNumber,
  nameOf,
  readBoolean,
  readText,
  startReading,
} from "./environment.ts";
import type { FileReading } from "./file.ts";
import { parseFlags, serveFlags } from "./flags.ts";
import type { LoosenedBinding } from "./loosened-bindings.ts";
import { isLoopback } from "../net/loopback.ts";
import { readLogLevel } from "./read-log-level.ts";
import { readTools } from "./read-tools.ts";
import { checkWorkerTokens } from "./worker-tokens.ts";
import type { NamedFolder } from "./source-values.ts";

/** A configuration, with what is needed to print it. */
export interface ConfigReading {
  readonly config: Config;
  /** The file that it was read from. */
  readonly file: FileReading | undefined;
  /** The folders that the configuration names. */
  readonly folders: readonly NamedFolder[];
  /** The folders that do not exist, each as a problem. `--print-config` ignores them. */
  readonly missingFolders: readonly string[];
  /** The origin of each value, by place. A value without an entry is a default. */
  readonly origins: ReadonlyMap<string, string>;
  /** Strings that must not be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Whether it is only printed: `--print-config`. */
  readonly isToBePrinted: boolean;
}

type ServeFlags = ReturnType<typeof parseServeFlags>;

const shutdownDelay = { place: "shutdownDelayMs", variable: "SHUTDOWN_DELAY_MS" };
const shutdownTimeout = { place: "shutdownTimeoutMs", variable: "SHUTDOWN_TIMEOUT_MS" };

/** The limit of macOS; Linux allows four more. The systems do not refuse a longer path but cut it off. */
const maxSocketPathBytes = 103;

/**
 * Reads the configuration: flags override the environment, the environment overrides the file, and the file overrides
 * the defaults. No other file reads the environment. @param cwd the folder in which `toolhost.yaml` is searched, and
 * the base of relative paths in flags and variables
 * @throws ConfigError with every problem at once
 */
export async function readConfig(args: readonly string[], env: Env, cwd?: string): Promise<Config> {
  return (await readConfigWithOrigins(args, env, cwd)).config;
}

/** The result of a reload. */
export interface ConfigReload extends ConfigReading {
  /** Names of keys whose limits the file explicitly removes. */
  readonly widenedKeys: readonly string[];
  /** Bindings that the file explicitly makes less strict. */
  readonly loosenedBindings: readonly LoosenedBinding[];
}

/**
 * Reads it again while the service runs, as soon as the file no longer changes. A file that was read before must still
 * exist, and must not give more rights by accident. @throws ConfigError with every problem at once; the previous
 * configuration then stays in effect
 */
export async function rereadConfig(
  before: ConfigReading,
  args: readonly string[],
  env: Env,
  cwd?: string,
): Promise<ConfigReload> {
  const { configFile } = before.config;
  if (configFile === undefined) {
    const next = await readConfigWithOrigins(args, env, cwd, before.folders);
    throwProblems(next.missingFolders);
    return { ...next, widenedKeys: [], loosenedBindings: [] };
  }
  const { settleFile } = await import("./settled-file.ts");
  await settleFile(configFile, before.file?.text ?? "");
  const next = await readConfigWithOrigins(args, { ...env, TOOLHOST_CONFIG: configFile }, cwd, before.folders);
  throwProblems(next.missingFolders);
  const { findWidening } = await import("./widening.ts");
  const { accidents, widenedKeys, loosenedBindings } = findWidening(before, next);
  if (accidents.length > 0) {
    const problem = `it would give more rights than the previous configuration, probably by accident. ${accidents.join(". ")}`;
    throw new ConfigError(`${basename(configFile)} is refused, because ${problem}`);
  }
  return { ...next, widenedKeys, loosenedBindings };
}

/**
 * As `readConfig`, with the origin of each value.
 * @param foldersBefore the folders of the configuration in effect, which may have been removed since
 */
export async function readConfigWithOrigins(
  args: readonly string[],
  env: Env,
  cwd?: string,
  foldersBefore: readonly NamedFolder[] = [],
): Promise<ConfigReading> {
  const flags = parseServeFlags(args);
  const reading = startReading(env);
  const { problems, origins } = reading;
  const { file, tools, folders, missingFolders, secrets: listed } = await readTools(flags, reading, cwd, foldersBefore);
  const config: Config = {
    ...readAddress(flags, reading),
    ...tools,
    apiKeys: readApiKeys(env, problems),
    logLevel: readLogLevel(reading, flags["log-level"]),
    shutdownDelayMs: readNumber(reading, shutdownDelay, 0, 600_000),
    shutdownTimeoutMs: readNumber(reading, shutdownTimeout, 10_000, 3_600_000),
    hosts: file?.settings.hosts ?? [],
    publicUrl: file?.settings.publicUrl,
    origins: file?.settings.origins ?? [],
  };
  if (config.apiKeys.length > 0) origins.set("apiKeys", "TOOLHOST_API_KEYS");
  if (env["NATS_URL"]) problems.push("NATS_URL is set, but this version runs in one process only");
  checkAccess(config, file, reading);
  checkWorkerTokens(config, problems);
  throwProblems(problems);
  const secrets = new Set([...config.apiKeys, ...(file?.secrets ?? []), ...listed]);
  return { config, file, folders, missingFolders, origins, secrets, isToBePrinted: flags["print-config"] === true };
}

/**
 * The address at which a service with these flags and variables listens. It does not depend on the file, which may be
 * invalid.
 * @throws ConfigError
 */
export function readListenAddress(args: readonly string[], env: Env): ListenAddress {
  const reading = startReading(env);
  const address = readAddress(parseServeFlags(args), reading);
  throwProblems(reading.problems);
  return address;
}

function parseServeFlags(args: readonly string[]) {
  return parseFlags({ args: [...args], options: serveFlags }).values;
}

function readAddress(flags: ServeFlags, reading: EnvironmentReading): ListenAddress {
  const socket = {
    place: "unixSocket",
    variable: "UNIX_SOCKET",
    flag: { name: "unix-socket", value: flags["unix-socket"] },
  };
  const unixSocket = readText(reading, socket);
  if (Buffer.byteLength(unixSocket ?? "") > maxSocketPathBytes) {
    reading.problems.push(`${nameOf(socket)} must be a path of at most ${maxSocketPathBytes} bytes`);
  }
  const host = { place: "host", variable: "HOST", flag: { name: "host", value: flags.host } };
  const port = { place: "port", variable: "PORT", flag: { name: "port", value: flags.port } };
  return { host: readText(reading, host) ?? "127.0.0.1", port: readNumber(reading, port, 8080, 65_535), unixSocket };
}

/** Section 9 of the contract: a service that other machines can reach needs keys or tokens. */
function checkAccess(
  { host, unixSocket, apiKeys, auth }: Config,
  file: FileReading | undefined,
  reading: EnvironmentReading,
): void {
  const { env, problems } = reading;
  const insecure = readBoolean(reading, { place: "insecure", variable: "TOOLHOST_INSECURE" }, false);
  const isReachable = unixSocket === undefined && !isLoopback(host);
  const saysWhoMayCall = Boolean(env["TOOLHOST_API_KEYS"]) || file?.saysWhoMayCall === true;
  if (isReachable && !saysWhoMayCall && !insecure) {
    problems.push(
      `the address ${host} can be reached from other machines: set TOOLHOST_API_KEYS, or "auth" in toolhost.yaml, or TOOLHOST_INSECURE=1 if this is intended`,
    );
  }
  const hashes = new Set(apiKeys.map(sha256));
  const twice = auth.keys.findIndex((key) => hashes.has(key.sha256));
  if (twice >= 0)
    problems.push(`auth.keys[${twice}] is in TOOLHOST_API_KEYS too, and keys of that variable may use every tool`);
}
