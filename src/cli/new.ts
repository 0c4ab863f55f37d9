import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import { parseFlags } from "../config/flags.ts";
import { checkName } from "../tool/check-tool.ts";
import type { Io } from "./io.ts";

/** `toolhost new NAME`: creates a tool that runs unchanged, as a starting point. */
export async function newTool(args: readonly string[], { cwd, out }: Io): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: { dir: { type: "string" } },
    allowPositionals: true,
  });
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new ConfigError("usage: toolhost new NAME [--dir DIR]");
  refuseBadName(name);
  const dir = values.dir ?? "my-tools";
  const folder = resolve(cwd, dir, name);
  if (existsSync(folder)) throw new ConfigError(`${join(dir, name)} exists already`);
  write(folder, filesOf(name));
  out(`${join(dir, name)} is ready. Try it:

  npx toolhost call ${name} '{"text": "hello"}' --tools ${dir}
  npx toolhost check --tools ${dir}
  npx toolhost test --tools ${dir}
  npx toolhost serve --tools ${dir}
`);
  return 0;
}

function refuseBadName(name: string): void {
  try {
    checkName(name);
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error });
  }
}

function write(folder: string, files: Record<string, string>): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${folder} cannot be written: ${code}`, { cause: error });
  }
}

function filesOf(name: string): Record<string, string> {
  return { "tool.mjs": moduleOf(name), ...schemaFiles };
}

/** Formatted like a formatter's output. */
const schemaFiles = {
  "parameters.json": `{
  "type": "object",
  "properties": {
    "text": { "type": "string", "description": "What to say.", "minLength": 1 },
    "times": {
      "type": "integer",
      "description": "How often to say it; once if left out.",
      "minimum": 1,
      "maximum": 5
    }
  },
  "required": ["text"],
  "additionalProperties": false
}
`,
  "response.json": `{
  "type": "object",
  "properties": {
    "said": { "type": "string", "description": "The text, as often as it was asked for." }
  },
  "required": ["said"],
  "additionalProperties": false
}
`,
  "examples.json": `[{ "arguments": { "text": "hello", "times": 2 }, "result": { "said": "hello hello" } }]
`,
};

function moduleOf(name: string): string {
  return `/**
 * @typedef {{ text: string, times?: number }} Arguments  as parameters.json has checked them
 * @typedef {object} Context
 * @property {AbortSignal} signal  aborted when the time limit passes or the caller leaves
 * @property {string} callId
 * @property {string} [session]
 * @property {(progress: { progress: number, total?: number, message?: string }) => void} progress
 * @property {(level: "debug" | "info" | "warn" | "error", message: string, fields?: object) => void} log
 * @property {typeof fetch} fetch  outbound HTTP that ends with the call
 */

export const tool = {
  name: ${JSON.stringify(name)},
  // The model reads this: say what the tool does and when to use it.
  description: "Says a text back, as often as asked.",
  timeoutMs: 5000,
  // True only as long as it changes nothing: then callers may run it twice.
  annotations: { readOnly: true },

  /**
   * Returns the result, which response.json checks. To fail in words that the model should read, throw
   * Object.assign(new Error("what is wrong and what to do"), { name: "ToolError" }).
   *
   * @param {Arguments} args
   * @param {Context} context
   */
  async execute({ text, times = 1 }, { signal }) {
    signal.throwIfAborted();
    return { said: Array(times).fill(text).join(" ") };
  },
};
`;
}
