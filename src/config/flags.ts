import { parseArgs, type ParseArgsConfig } from "node:util";
import { closest } from "../schema/suggest.ts";
import { ConfigError } from "./config-error.ts";

/** The flags that say where tools are, of every command that loads some. */
export const toolFlags = {
  config: { type: "string" },
  tools: { type: "string", multiple: true },
  "no-bundled": { type: "boolean" },
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

/** What `toolFlags` were given as. */
export interface ToolFlags {
  readonly config?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly "no-bundled"?: boolean | undefined;
}

/**
 * `parseArgs`, whose errors become one line of ours.
 * @throws ConfigError
 */
export function parseFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = unknownFlag(config);
    throw new ConfigError(unknown ?? message.replaceAll("\n", " "), { cause: error });
  }
}

/** @returns what is said of the first flag that the command does not have */
function unknownFlag({ args, options = {} }: ParseArgsConfig): string | undefined {
  const { tokens } = parseArgs({ args: [...(args ?? [])], options, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  if (unknown?.kind !== "option") return undefined;
  const meant = closest(unknown.name, Object.keys(options));
  return `unknown flag ${unknown.rawName}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}
