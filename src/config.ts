import { parseArgs } from "node:util";

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

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Env = Readonly<Record<string, string | undefined>>;

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

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
  const problems: string[] = [];
  const flags = readFlags(args);
  const config: Config = {
    host: flags.host ?? env["HOST"] ?? "127.0.0.1",
    port: readNumber("PORT", flags.port ?? env["PORT"], 8080, 65_535),
    unixSocket: flags["unix-socket"] ?? (env["UNIX_SOCKET"] || undefined),
    toolFolders: [...(flags.tools ?? []), ...(env["TOOLHOST_TOOLS"] ?? "").split(":").filter(Boolean)],
    bundledTools: flags["no-bundled"] !== true && readSwitch("TOOLHOST_BUNDLED", env["TOOLHOST_BUNDLED"], true),
    apiKeys: (env["TOOLHOST_API_KEYS"] ?? "").split(",").map((key) => key.trim()).filter(Boolean),
    logLevel: flags["log-level"] ?? (env["LOG_LEVEL"] || "info"),
    shutdownDelayMs: readNumber("SHUTDOWN_DELAY_MS", env["SHUTDOWN_DELAY_MS"], 0, 600_000),
    shutdownTimeoutMs: readNumber("SHUTDOWN_TIMEOUT_MS", env["SHUTDOWN_TIMEOUT_MS"], 10_000, 3_600_000),
  };
  if (!logLevels.includes(config.logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  if (env["TOOLHOST_CONFIG"]) problems.push("TOOLHOST_CONFIG is set, but this version reads no configuration file");
  if (env["NATS_URL"]) problems.push("NATS_URL is set, but this version runs in one process only");
  if (env["TOOLHOST_EGRESS_ALLOW"]) problems.push("TOOLHOST_EGRESS_ALLOW is set, but this version has no egress rules");
  if (config.apiKeys.some((key) => !/^[\x21-\x7e]+$/.test(key))) {
    problems.push("TOOLHOST_API_KEYS holds a key with characters that no header can carry");
  }
  const insecure = readSwitch("TOOLHOST_INSECURE", env["TOOLHOST_INSECURE"], false);
  if (config.unixSocket === undefined && !isLoopback(config.host) && config.apiKeys.length === 0 && !insecure) {
    problems.push(
      `the address ${config.host} can be reached from other machines: set TOOLHOST_API_KEYS, or TOOLHOST_INSECURE=1 if that is meant`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;

  function readNumber(name: string, text: string | undefined, otherwise: number, most: number): number {
    if (text === undefined || text === "") return otherwise;
    if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
    problems.push(`${name} must be a whole number from 0 to ${most}`);
    return otherwise;
  }

  function readSwitch(name: string, text: string | undefined, otherwise: boolean): boolean {
    if (text === undefined || text === "") return otherwise;
    if (/^(?:1|on|true)$/i.test(text)) return true;
    if (/^(?:0|off|false)$/i.test(text)) return false;
    problems.push(`${name} must be on or off`);
    return otherwise;
  }
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: serveFlags, strict: true }).values;
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
