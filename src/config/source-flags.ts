import type { parseArgs } from "node:util";
import { hasPassword, isForeignUrl, type OpenApiSetting } from "../sources/openapi/setting.ts";
import { ConfigError } from "./config-error.ts";
import type { McpServersFile } from "./config-file.ts";
import { isSourceName, sourceNameRule } from "./source-name.ts";
import { isUpstreamUrl, upstreamUrlRule } from "./upstream-url.ts";

/** The flags that add sources, which can be repeated, and those that belong to one source. */
export const sourceFlags = {
  openapi: { type: "string", multiple: true },
  name: { type: "string", multiple: true },
  "base-url": { type: "string", multiple: true },
  "mcp-config": { type: "string", multiple: true },
  env: { type: "string", multiple: true },
} as const;

/** A source as the command line names it. Paths are not absolute yet. */
export type FlagSource = OpenApiSetting | McpServersFile | CommandSource;

/** The command of an MCP server, after `--`. */
export interface CommandSource {
  readonly command: readonly [string, ...string[]];
  readonly name?: string;
  /** Names of variables that it gets. */
  readonly variables: readonly string[];
}

type Tokens = NonNullable<ReturnType<typeof parseArgs>["tokens"]>;

/**
 * The sources that flags add. Their order matters: `--name` comes before the source that it names, `--base-url` after
 * its document.
 * @param tokens of `parseArgs`
 * @param command what comes after `--`
 * @throws ConfigError
 */
export function readSourceFlags(tokens: Tokens, command?: readonly string[]): FlagSource[] {
  const sources: FlagSource[] = [];
  const variables: string[] = [];
  let name: string | undefined;
  for (const token of tokens) {
    if (token.kind !== "option" || token.value === undefined) continue;
    const { value } = token;
    if (token.name === "name") {
      if (name !== undefined) throw new ConfigError("--name is given twice before a source");
      if (!isSourceName(value)) throw new ConfigError(`--name must be ${sourceNameRule}`);
      name = value;
    } else if (token.name === "openapi") {
      if (hasPassword(value)) throw new ConfigError("--openapi must not contain a user or a password");
      if (value === "" || isForeignUrl(value))
        throw new ConfigError("--openapi must be a path or an http or https URL of a document");
      sources.push({ openapi: value, ...(name !== undefined && { name }) });
      name = undefined;
    } else if (token.name === "base-url") {
      const last = sources.pop();
      if (last === undefined || !("openapi" in last)) {
        throw new ConfigError("--base-url must be after its --openapi");
      }
      if (!isUpstreamUrl(value)) throw new ConfigError(`--base-url must be ${upstreamUrlRule}`);
      sources.push({ ...last, baseUrl: value });
    } else if (token.name === "mcp-config") {
      if (value === "") throw new ConfigError("--mcp-config must be the path of a file");
      if (name !== undefined)
        throw new ConfigError(
          "--name must not be before --mcp-config, because the file contains the names of its servers",
        );
      sources.push({ mcpServers: value });
    } else if (token.name === "env") {
      if (!/^[A-Za-z_]\w*$/.test(value)) {
        throw new ConfigError("--env must be the name of an environment variable; the MCP server gets its value");
      }
      variables.push(value);
    }
  }
  if (command !== undefined) {
    const [program, ...args] = command;
    if (program === undefined || program === "")
      throw new ConfigError("-- must be followed by the command of an MCP server");
    return [...sources, { command: [program, ...args], ...(name !== undefined && { name }), variables }];
  }
  if (variables.length > 0) throw new ConfigError('--env must be followed by "--" and the command of an MCP server');
  if (name !== undefined) {
    throw new ConfigError("--name must be before its --openapi or its -- command");
  }
  return sources;
}
