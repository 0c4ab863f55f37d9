import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../config.ts";
import { invoke } from "../core/invoke.ts";
import { JsonSyntaxError, parseJson } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import { requestJson } from "./remote.ts";
import { loadTools } from "./tool-sources.ts";

/** `toolhost call`: runs one tool, in this process or on a running service. */
export async function call(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { url: { type: "string" }, tools: { type: "string", multiple: true } },
    allowPositionals: true,
  });
  const [name, text = "{}", ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new ConfigError("usage: toolhost call NAME ['{…}'] [--url URL]");
  const outcome =
    values.url === undefined
      ? await callLocal(name, readArguments(text), values.tools)
      : await requestJson(values.url, `tools/${encodeURIComponent(name)}/invoke`, text);
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  return (outcome as Outcome).status === "ok" ? 0 : 1;
}

async function callLocal(name: string, args: unknown, folders: readonly string[] = []): Promise<Outcome> {
  const config = readConfig(folders.map((folder) => `--tools=${folder}`), { ...process.env, HOST: "127.0.0.1" });
  const { registry } = await loadTools(config);
  return invoke(registry, { name, arguments: args, caller: "command line" });
}

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
