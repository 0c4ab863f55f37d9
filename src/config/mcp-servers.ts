import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { ListedMcpSetting, McpServer, McpSetting } from "../sources/mcp/setting.ts";
import type { EnvironmentReading } from "./environment.ts";
import { isServerUrl, serverUrlRule } from "./server-url.ts";
import { isSourceName } from "./source-name.ts";
import { inQuotes } from "../json/in-quotes.ts";

const maxFileBytes = 1_048_576;

/** The servers of a file, and its texts that must not be shown. */
export interface McpServersReading {
  readonly settings: readonly ListedMcpSetting[];
  readonly secrets: readonly string[];
}

/**
 * Reads the servers that other MCP clients are configured with: the members of `mcpServers`, or of `servers` as VS Code calls it.
 * Those that are disabled are left out, and so are tools that are and fields that only other clients know. `${NAME}`,
 * `${env:NAME}` and `${NAME:-otherwise}` take a value from the environment. Problems are added to those of the reading.
 * @param path absolute
 */
export function readMcpServers(path: string, { env, problems }: EnvironmentReading): McpServersReading {
  const name = basename(path);
  const nothing = { settings: [], secrets: [] };
  const servers = readServers(path);
  if (typeof servers === "string") {
    problems.push(`${name} ${servers}`);
    return nothing;
  }
  const secrets: string[] = [];
  const settings = Object.entries(servers).flatMap(([key, entry]): ListedMcpSetting[] => {
    if (isJsonObject(entry) && (entry["disabled"] === true || entry["enabled"] === false)) return [];
    try {
      if (!isJsonObject(entry)) throw new Error("must be an object");
      const setting = readEntry(entry, { folder: dirname(path), env });
      secrets.push(...Object.values(setting.mcp.env ?? {}), ...Object.values(setting.headers ?? {}));
      return [{ name: isSourceName(key) ? key : `mcp_${key}`, ...setting, listedIn: path }];
    } catch (error) {
      problems.push(`${name}: ${inQuotes(key)} ${(error as Error).message}`);
      return [];
    }
  });
  return { settings, secrets };
}

/** @returns the problem if there is one */
function readServers(path: string): JsonObject | string {
  let text: string;
  try {
    const bytes = readFileSync(path);
    if (bytes.byteLength > maxFileBytes) return "is larger than 1 MiB";
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const { code = "it is not UTF-8" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "does not exist" : `cannot be read: ${code}`;
  }
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  const servers = isJsonObject(file) ? (file["mcpServers"] ?? file["servers"]) : undefined;
  return isJsonObject(servers) ? servers : "has no object mcpServers";
}

interface Surroundings {
  readonly folder: string;
  readonly env: EnvironmentReading["env"];
}

/** @throws Error with words that follow the server's name */
function readEntry(entry: JsonObject, { folder, env }: Surroundings): McpSetting {
  const text = (key: string): string | undefined => {
    const value = entry[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw new Error(`must have a string as its "${key}"`);
    return expand(value, env);
  };
  const exclude = [...readList(entry, "disabledTools"), ...readList(entry, "excludeTools")];
  const include = readList(entry, "includeTools");
  const chosen = {
    ...((entry["includeTools"] ?? undefined) !== undefined && { include }),
    ...(exclude.length > 0 && { exclude }),
  };
  const url = text("url") ?? text("serverUrl");
  const command = text("command");
  if ((url === undefined) === (command === undefined)) throw new Error('must have either "command" or "url"');
  if (url !== undefined) {
    if (!isServerUrl(url)) throw new Error(`must have a "url" that is ${serverUrlRule}`);
    const headers = readTexts(entry, "headers", env);
    const server: McpServer = { url, ...(entry["type"] === "sse" && { transport: "sse" }) };
    return { mcp: server, ...(headers !== undefined && { headers }), ...chosen };
  }
  const args = readList(entry, "args");
  const variables = readTexts(entry, "env", env);
  const cwd = text("cwd");
  return {
    mcp: {
      command: command!,
      args: args.map((each) => expand(each, env)),
      ...(variables !== undefined && { env: variables }),
      ...(cwd !== undefined && { cwd: resolve(folder, cwd) }),
    },
    ...chosen,
  };
}

function readList(entry: JsonObject, key: string): readonly string[] {
  const value = entry[key] ?? [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new Error(`must have a list of texts as "${key}"`);
}

function readTexts(entry: JsonObject, key: string, env: Surroundings["env"]): Record<string, string> | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new Error(`must have an object as "${key}"`);
  const texts = Object.entries(value).map(([name, member]) => {
    // Some files contain numbers and booleans here.
    if (!["string", "number", "boolean"].includes(typeof member)) {
      throw new Error(`must have a string as its "${key}.${name}"`);
    }
    return [name, expand(`${member as string | number | boolean}`, env)] as const;
  });
  return Object.fromEntries(texts);
}

function expand(text: string, env: Surroundings["env"]): string {
  return text.replace(/\$\{([^{}]*)\}/g, (_, inner: string) => {
    const [, name = "", otherwise] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === "") throw new Error(`contains \${${inner}}, which Toolhost cannot replace`);
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) || otherwise;
    if (value === undefined) throw new Error(`uses the environment variable ${name}, which is not set`);
    return value;
  });
}
