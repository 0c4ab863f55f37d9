import { parseArgs, type ParseArgsConfig } from "node:util";

/** Everything that can be set from outside. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  /** Folders that hold tool folders. */
  readonly toolFolders: readonly string[];
  readonly bundledTools: boolean;
  readonly apiKeys: readonly string[];
  readonly logLevel: string;
  readonly shutdownDelayMs: number;
  readonly shutdownTimeoutMs: number;
}

/** The part of it that says where tools are: all that is needed where nothing listens. */
export type ToolConfig = Pick<Config, "toolFolders" | "bundledTools">;

/** A configuration, a command line or an address that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Env = Readonly<Record<string, string | undefined>>;

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** What macOS has room for, Linux for four more. Longer ones are not refused there but cut off. */
const maxSocketPathBytes = 103;

/** The flags of `serve`, with what the help says of them. */
export const serveFlags = {
  host: { type: "string" },
  port: { type: "string" },
  "unix-socket": { type: "string" },
  tools: { type: "string", multiple: true },
  "no-bundled": { type: "boolean" },
  "log-level": { type: "string" },
} as const;

/**
 * Reads the configuration: flags over environment over defaults. No other file reads the environment.
 * @throws ConfigError with every problem at once
 */
export function readConfig(args: readonly string[], env: Env): Config {
  const { values: flags } = parseFlags({ args: [...args], options: serveFlags });
  const problems: string[] = [];
  const config: Config = {
    ...readTools(flags, env, problems),
    host: flags.host || env["HOST"] || "127.0.0.1",
    port: readNumber(problems, "PORT", flags.port ?? env["PORT"], 8080, 65_535),
    unixSocket: flags["unix-socket"] || env["UNIX_SOCKET"] || undefined,
    apiKeys: listOf(env["TOOLHOST_API_KEYS"], ",")
      .map((key) => key.trim())
      .filter(Boolean),
    logLevel: flags["log-level"] ?? (env["LOG_LEVEL"] || "info"),
    shutdownDelayMs: readNumber(problems, "SHUTDOWN_DELAY_MS", env["SHUTDOWN_DELAY_MS"], 0, 600_000),
    shutdownTimeoutMs: readNumber(problems, "SHUTDOWN_TIMEOUT_MS", env["SHUTDOWN_TIMEOUT_MS"], 10_000, 3_600_000),
  };
  if (!logLevels.includes(config.logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  if (Buffer.byteLength(config.unixSocket ?? "") > maxSocketPathBytes) {
    problems.push(`UNIX_SOCKET must be a path of at most ${maxSocketPathBytes} bytes`);
  }
  if (env["NATS_URL"]) problems.push("NATS_URL is set, but this version runs in one process only");
  if (config.apiKeys.some((key) => !/^[\x21-\x7e]+$/.test(key))) {
    problems.push("TOOLHOST_API_KEYS holds a key with characters that no header can carry");
  }
  const insecure = readSwitch(problems, "TOOLHOST_INSECURE", env["TOOLHOST_INSECURE"], false);
  if (config.unixSocket === undefined && !isLoopback(config.host) && config.apiKeys.length === 0 && !insecure) {
    problems.push(
      `the address ${config.host} can be reached from other machines: set TOOLHOST_API_KEYS, or TOOLHOST_INSECURE=1 if that is meant`,
    );
  } else if (env["TOOLHOST_API_KEYS"] && config.apiKeys.length === 0) {
    problems.push("TOOLHOST_API_KEYS is set, but holds no key");
  }
  refuseAny(problems);
  return config;
}

/**
 * What `list` and `call` need: neither a bad PORT nor a missing key is their business.
 * @param folders those of `--tools`
 * @throws ConfigError
 */
export function readToolConfig(folders: readonly string[], env: Env): ToolConfig {
  const problems: string[] = [];
  const config = readTools({ tools: folders }, env, problems);
  refuseAny(problems);
  return config;
}

/** `parseArgs`, whose errors become one line of ours. */
export function parseFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(message.replaceAll("\n", " "), { cause: error });
  }
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function readTools(
  flags: { readonly tools?: readonly string[]; readonly "no-bundled"?: boolean },
  env: Env,
  problems: string[],
): ToolConfig {
  const bundled = readSwitch(problems, "TOOLHOST_BUNDLED", env["TOOLHOST_BUNDLED"], true);
  if (env["TOOLHOST_CONFIG"]) problems.push("TOOLHOST_CONFIG is set, but this version reads no configuration file");
  if (env["TOOLHOST_EGRESS_ALLOW"]) problems.push("TOOLHOST_EGRESS_ALLOW is set, but this version has no egress rules");
  return {
    // An empty name would be the working folder.
    toolFolders: [...(flags.tools ?? []), ...listOf(env["TOOLHOST_TOOLS"], ":")].filter(Boolean),
    bundledTools: bundled && flags["no-bundled"] !== true,
  };
}

function listOf(text: string | undefined, separator: string): string[] {
  return text === undefined ? [] : text.split(separator);
}

function readNumber(
  problems: string[],
  name: string,
  text: string | undefined,
  otherwise: number,
  most: number,
): number {
  if (text === undefined || text === "") return otherwise;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  problems.push(`${name} must be a whole number from 0 to ${most}`);
  return otherwise;
}

function readSwitch(problems: string[], name: string, text: string | undefined, otherwise: boolean): boolean {
  if (text === undefined || text === "") return otherwise;
  if (/^(?:1|on|true)$/i.test(text)) return true;
  if (/^(?:0|off|false)$/i.test(text)) return false;
  problems.push(`${name} must be on or off`);
  return otherwise;
}

function refuseAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
}
