import { parseArgs, type ParseArgsConfig } from "node:util";
import { closest } from "../schema/suggest.ts";
import { ConfigError } from "./config-error.ts";
import { type FlagSource, readSourceFlags, sourceFlags } from "./source-flags.ts";

/** The flags that name sources of tools, for every command that loads tools. */
export const toolFlags = {
  config: { type: "string" },
  tools: { type: "string", multiple: true },
  "no-bundled": { type: "boolean" },
  bundled: { type: "boolean" },
  ...sourceFlags,
} as const;

/** The flags of `serve`. */
export const serveFlags = {
  ...toolFlags,
  host: { type: "string" },
  port: { type: "string" },
  "unix-socket": { type: "string" },
  "log-level": { type: "string" },
  "print-config": { type: "boolean" },
} as const;

/** The values of `toolFlags`. */
export interface ToolFlags {
  readonly config?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly "no-bundled"?: boolean | undefined;
  readonly bundled?: boolean | undefined;
  /** Those of `--openapi`, `--mcp-config` and the command after `--`, with the flags that belong to them. */
  readonly sources?: readonly FlagSource[] | undefined;
}

/** A parsed command line. */
type Parsed<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>> & {
  values: { readonly sources: readonly FlagSource[] };
};

/**
 * `parseArgs`, whose errors become one line of ours, and with the sources that flags add.
 * @throws ConfigError
 */
export function parseFlags<T extends ParseArgsConfig>(given: T): Parsed<T> {
  const { own, command } = splitCommand(given);
  const config: T = { ...given, args: own };
  try {
    const parsed = parseArgs(config);
    // Another command may have a --name of its own.
    const takesSources = Object.hasOwn(given.options ?? {}, "openapi");
    const tokens = takesSources ? parseArgs({ ...config, tokens: true }).tokens : undefined;
    return { ...parsed, values: { ...parsed.values, sources: readSourceFlags(tokens ?? [], command) } };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const unknown = unknownFlag(config) ?? strayWord(config);
    throw new ConfigError(unknown ?? message.replaceAll("\n", " "), { cause: error });
  }
}

/** After `--` comes the command of an MCP server, whose flags are its own. */
function splitCommand({ args = [], options = {} }: ParseArgsConfig): {
  readonly own: string[];
  readonly command: readonly string[] | undefined;
} {
  const end = Object.hasOwn(options, "env") ? args.indexOf("--") : -1;
  return end < 0 ? { own: [...args], command: undefined } : { own: args.slice(0, end), command: args.slice(end + 1) };
}

/** @returns the message about the first flag that the command does not have */
function unknownFlag({ args, options = {} }: ParseArgsConfig): string | undefined {
  const { tokens } = parseArgs({ args: [...(args ?? [])], options, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  if (unknown?.kind !== "option") return undefined;
  const known = Object.keys(options);
  const meant = closest(unknown.name, known);
  const opening = known.length === 1 ? "the only flag is" : "the flags are";
  const flags = known.length === 0 ? "the command has no flags" : `${opening} --${known.join(", --")}`;
  return `unknown flag ${unknown.rawName}; ${meant === undefined ? flags : `did you mean --${meant}?`}`;
}

/**
 * @returns the message about a word that does not belong to a flag, if the command takes no words: a folder or file
 * without its flag
 */
function strayWord({ args, options = {}, allowPositionals }: ParseArgsConfig): string | undefined {
  if (allowPositionals === true) return undefined;
  const { positionals } = parseArgs({ args: [...(args ?? [])], options, strict: false });
  const [word] = positionals;
  if (word === undefined) return undefined;
  const hint = Object.hasOwn(options, "tools") ? `; did you mean ${withItsFlag(word)}?` : "";
  return `unexpected argument ${JSON.stringify(word)}${hint}`;
}

/** The flag that was probably meant before a path or URL that has none. */
export function withItsFlag(word: string): string {
  if (/^https?:|\.json$/.test(word)) return `--openapi ${word}`;
  if (!/\.ya?ml$/.test(word)) return `--tools ${word}`;
  return /toolhost[^/]*$/.test(word) ? `--config ${word}` : `--config ${word} or --openapi ${word}`;
}
