import { inspect } from "node:util";
import { ConfigError } from "../config/config-error.ts";
import { parseFlags, toolFlags, type ToolFlags } from "../config/flags.ts";
import { invoke } from "../core/invoke.ts";
import { isJsonObject, JsonSyntaxError, parseJson } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Observer } from "../core/registry.ts";
import { readAnswer, requestJson } from "./remote.ts";
import { loadToolsQuietly } from "./tool-sources.ts";

/** `toolhost call`: runs one tool, in this process or on a running service. */
export async function call(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: { ...toolFlags, url: { type: "string" } },
    allowPositionals: true,
  });
  const [name, text = "{}", ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new ConfigError("usage: toolhost call NAME ['{…}'] [--url URL]");
  const given = readArguments(text);
  const outcome =
    values.url === undefined ? await callLocal(name, given, values) : await callRemote(values.url, name, text);
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  return outcome.status === "ok" ? 0 : 1;
}

async function callLocal(name: string, args: unknown, flags: ToolFlags): Promise<Outcome> {
  const { registry } = await loadToolsQuietly(flags, onStderr);
  return invoke(registry, { name, arguments: args, caller: { id: "command line" } });
}

async function callRemote(url: string, name: string, text: string): Promise<Outcome> {
  const answer = await requestJson(url, `tools/${encodeURIComponent(name)}/invoke`, text);
  return readAnswer(url, answer, isOutcome);
}

function isOutcome(answer: unknown): answer is Outcome {
  return isJsonObject(answer) && (answer["status"] === "ok" || answer["status"] === "error");
}

/** Who writes a tool sees here what the outcome keeps from a model: the error itself. */
const onStderr: Observer = {
  onCall({ cause }) {
    if (cause !== undefined) process.stderr.write(`${inspect(cause)}\n`);
  },
  onToolLog({ level, message, fields }) {
    process.stderr.write(`${level}: ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}\n`);
  },
};

function readArguments(text: string): unknown {
  try {
    const { value, refusals } = parseJson(text);
    const [refusal] = refusals;
    if (refusal !== undefined) throw new ConfigError(`the arguments are refused at ${refusal.path}: ${refusal.reason}`);
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ConfigError(`the arguments cannot be read: ${error.message}`, { cause: error });
  }
}
