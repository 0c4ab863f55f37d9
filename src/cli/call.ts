import { ConfigError } from "../config/config-error.ts";
import { parseFlags, toolFlags, type ToolFlags } from "../config/flags.ts";
import { findTool } from "../core/caller.ts";
import type { Declaration } from "../tool/declaration.ts";
import { outcomeOf } from "../core/call/start-call.ts";
import { isJsonObject } from "../json/object.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import { skippedOf } from "../core/source.ts";
import { closest } from "../schema/suggest.ts";
import { createAuthorObserver } from "./author-observer.ts";
import { describeTool } from "./describe-tool.ts";
import { commandHelp } from "./help.ts";
import { escapeControls, type Io } from "./io.ts";
import { quoting, readArguments } from "./read-arguments.ts";
import { readAnswer, requestJson } from "./remote.ts";
import { dryRun } from "./dry-run.ts";
import { loadTools } from "./load-tools.ts";
import { inQuotes } from "../json/in-quotes.ts";

/** `toolhost call`: runs one tool, in this process or on a running service. */
export async function call(args: readonly string[], io: Io, load = loadTools): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: {
      ...toolFlags,
      url: { type: "string" },
      "dry-run": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
    allowPositionals: true,
  });
  const [name, given = "{}", ...rest] = positionals;
  if (rest.length > 0 && /^[{[]/.test(given)) {
    throw new ConfigError(`the shell passed the arguments as several words${quoting}`);
  }
  if (name === undefined || rest.length > 0) {
    throw new ConfigError('usage: toolhost call NAME [\'{"argument": "as JSON"}\' | -] [--url URL]');
  }
  const { url } = values;
  if (values["dry-run"] === true) {
    if (url !== undefined)
      throw new ConfigError("--dry-run cannot be combined with --url: it uses the configuration of this machine");
    return dryRun(name, readArguments(await readText(given, io)), await load(values, io), io);
  }
  const tools = url === undefined ? await openLocal(values, io, load) : openRemote(url, io);
  if (values.help === true) return showTool(name, await tools.find(name), tools, io);
  const text = await readText(given, io);
  const outcome = await tools.call(name, readArguments(text), text);
  if (isUnknown(outcome)) await explainMissing(name, outcome, tools, io);
  io.out(`${JSON.stringify(outcome, null, 2)}\n`);
  return outcome.status === "ok" ? 0 : 1;
}

async function readText(given: string, io: Io): Promise<string> {
  return given === "-" ? (await io.input()) || "{}" : given;
}

/** The tools of this machine, or of a running service. */
interface CallableTools {
  find(name: string): Promise<Declaration | undefined>;
  /** @param text the arguments as written, because numbers must arrive unchanged */
  call(name: string, args: unknown, text: string): Promise<Outcome>;
  /** The tools that could not be loaded. */
  skipped(): Promise<readonly Skipped[]>;
}

async function openLocal(flags: ToolFlags, io: Io, load: typeof loadTools): Promise<CallableTools> {
  const { registry, startCall, status } = await load(flags, io, createAuthorObserver(io));
  return {
    find: async (name) => findTool(registry, { name })?.declaration,
    call: (name, args) => outcomeOf(startCall, { name, arguments: args, caller: { id: "command line" } }),
    skipped: async () => status().flatMap(skippedOf),
  };
}

function openRemote(url: string, { env }: Io): CallableTools {
  const toolPath = (name: string): string => `tools/${encodeURIComponent(name)}`;
  return {
    async find(name) {
      const answer = await requestJson(url, toolPath(name), env);
      return isUnknown(answer) ? undefined : readAnswer(url, answer, isDeclaration);
    },
    call: async (name, _args, text) =>
      readAnswer(url, await requestJson(url, `${toolPath(name)}/invoke`, env, text), isOutcome),
    async skipped() {
      const status = await requestJson(url, "status", env);
      const sources = isJsonObject(status) && Array.isArray(status["sources"]) ? status["sources"] : [];
      return sources.flatMap(({ skipped = [] }: { skipped?: Skipped[] }) => skipped);
    },
  };
}

async function showTool(
  name: string,
  declaration: Declaration | undefined,
  tools: CallableTools,
  io: Io,
): Promise<number> {
  if (declaration !== undefined) {
    io.out(`${describeTool(declaration)}\n${commandHelp("call")}`);
    return 0;
  }
  await explainMissing(name, undefined, tools, io);
  io.err(`toolhost: there is no tool ${JSON.stringify(name)}\n`);
  return 1;
}

/** A skipped tool is unknown to callers. Its author needs the reason, which is printed first. */
async function explainMissing(name: string, outcome: Outcome | undefined, tools: CallableTools, io: Io): Promise<void> {
  const skipped = await tools.skipped();
  const suggestion = outcome?.status === "error" ? outcome.error.suggestion : undefined;
  const meant = skipped.some((each) => each.name === name) ? name : closest(name, namesOf(skipped));
  // The reason may be listed under the name of the folder, or of the whole source.
  const likely =
    meant === undefined && suggestion === undefined ? skipped : skipped.filter((each) => each.name === meant);
  for (const { name: each, reason } of likely) io.err(`${escapeControls(`skipped ${inQuotes(each)}: ${reason}`)}\n`);
  if (likely.length > 0 || suggestion !== undefined) return;
  io.err(`toolhost: "toolhost list" shows the tools; --tools DIR adds those of a folder\n`);
}

function namesOf(skipped: readonly Skipped[]): string[] {
  return skipped.map(({ name }) => name);
}

function isUnknown(answer: unknown): boolean {
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  return isJsonObject(error) && error["code"] === "unknown_tool";
}

function isOutcome(answer: unknown): answer is Outcome {
  return isJsonObject(answer) && (answer["status"] === "ok" || answer["status"] === "error");
}

function isDeclaration(answer: unknown): answer is Declaration {
  return isJsonObject(answer) && typeof answer["name"] === "string" && "parameters" in answer;
}
