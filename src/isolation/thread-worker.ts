/** The entry of a tool's thread: loads the tool, and runs one call after the other. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { JsonObject } from "../json/object.ts";
import { findTools } from "../tool/exported-tools.ts";
import { toCallError } from "../errors/failure.ts";
import { readValidate } from "../schema/library/read.ts";
import { validateFirst } from "../tool/validate-first.ts";
import { toResultJson } from "../core/call/result.ts";
import { isThenable } from "../async/thenable.ts";
import type { Tool, ToolContext } from "../tool/tool.ts";
import { readLogLevel } from "../tool/log-level.ts";
import { readProgress } from "../tool/progress.ts";
import { describeThrown } from "../errors/thrown.ts";
import { toFailure } from "./thread-failure.ts";
import {
  type CallMessage,
  type EndMessage,
  maxFieldsBytes,
  maxLineLength,
  type ThreadData,
  type ThreadMessage,
} from "./thread-messages.ts";
import { guardKill } from "./process-guard.ts";
import { watchIntrinsics } from "./thread-intrinsics.ts";
import { captureOutput, createOutputBudget } from "./thread-output.ts";

yieldToMainThread();
guardKill();
const { port, name, module, repeatable, resultBytes, egress } = takeData();
let outbound: Promise<typeof fetch> | undefined;
// Bound at the start: the tool's code may replace the port's function.
const post: (message: ThreadMessage) => void = port.postMessage.bind(port);
// Created at the start: later it might need built-ins that are broken then.
const changed: ThreadMessage = {
  kind: "unusable",
  cause: describeThrown(
    new Error("the tool changed built-in objects of its thread, such as Object.keys or Object.prototype"),
  ),
};
const budget = createOutputBudget((count) =>
  post({ kind: "output", level: "warn", text: `${count} messages of the tool were left out: it sends too many` }),
);
captureOutput((level, text) => {
  if (budget.take()) post({ kind: "output", level, text: cut(text) });
});

try {
  const tool = await importTool();
  // The state after the tool's module was loaded: a polyfill that it loads applies to every call.
  const isIntact = watchIntrinsics();
  port.on("message", (call: CallMessage) => void run(tool, call, isIntact));
  post({ kind: "ready" });
} catch (thrown) {
  post({ kind: "unusable", cause: describeThrown(thrown) });
}

/**
 * If threads have their own priorities, as on Linux, those of tools get a lower one: the main thread serves everybody.
 */
function yieldToMainThread(): void {
  try {
    setPriority(Number(basename(readlinkSync("/proc/thread-self"))), 10);
  } catch {
    // On other systems they compete as equals.
  }
}

/**
 * Removes `parentPort` and the port from the places in which a tool could find them. Node still lists the port among
 * the handles of the thread, so messages from it are read as untrusted.
 */
function takeData(): ThreadData {
  const given = workerData as ThreadData & JsonObject;
  const data = { ...given };
  for (const key of Object.keys(given)) delete given[key];
  parentPort?.close();
  return data;
}

async function importTool(): Promise<Tool> {
  const tools = findTools(await import(module)) as unknown as readonly Tool[];
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`the module does not export the tool "${name}"`);
  if (typeof tool.execute !== "function") throw new Error('"execute" must be a function');
  return withLibraryCheck(tool);
}

/**
 * If a tool's parameters are an object of a schema library, the library checks the arguments here, in the tool's
 * thread.
 */
function withLibraryCheck(tool: Tool): Tool {
  const validate = readValidate(tool.parameters);
  if (validate === undefined) return tool;
  return { ...tool, execute: validateFirst(validate, (args, context: ToolContext) => tool.execute(args, context)) };
}

async function run(tool: Tool, call: CallMessage, isIntact: () => boolean): Promise<void> {
  // Also checked before the call: work that a former call left behind may have changed something since.
  if (!isIntact()) return post(changed);
  const message = await runTool(tool, call);
  budget.settle();
  // A change affects at most its own result; later calls get another thread.
  post(isIntact() ? message : { ...message, isSpoiled: true });
}

/** Evaluates the result of the call here, as on the main thread for inline tools: from the value itself. */
async function runTool(tool: Tool, call: CallMessage): Promise<EndMessage> {
  const { id } = call;
  try {
    const returned = tool.execute(call.args, createContext(call));
    const result = isThenable(returned) ? await returned : returned;
    return { kind: "result", id, text: toResultJson(result, resultBytes).text };
  } catch (thrown) {
    return { kind: "failure", id, failure: toFailure(toCallError(thrown, repeatable)) };
  }
}

function createContext({ id, callId, session }: CallMessage): ToolContext {
  let controller: AbortController | undefined;
  return {
    callId,
    ...(session !== undefined && { session }),
    // Never aborted: an abort ends the thread instead.
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
    progress(given) {
      const progress = readProgress(given);
      if (progress === undefined || !budget.take()) return;
      const { message } = progress;
      post({
        kind: "progress",
        id,
        progress: message === undefined ? progress : { ...progress, message: cut(message) },
      });
    },
    log(level, message, fields) {
      if (!budget.take()) return;
      const text = fields === undefined ? undefined : toFieldsText(fields);
      post({
        kind: "log",
        id,
        level: readLogLevel(level),
        text: cut(String(message)),
        ...(text !== undefined && { fields: text }),
      });
    },
    fetch: guardedFetch,
  };
}

/** Loaded at a tool's first use: most threads never use it, and each would boot more slowly. */
const guardedFetch: typeof fetch = async (input, init) => {
  outbound ??= import("../egress/fetch.ts").then(({ createOutboundFetch }) => createOutboundFetch(egress));
  return (await outbound)(input, init);
};

/** @returns undefined if the fields are not JSON or are too large: the line is written without them */
function toFieldsText(fields: JsonObject): string | undefined {
  try {
    return toResultJson(fields, maxFieldsBytes).text;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length <= maxLineLength ? text : `${text.slice(0, maxLineLength - 1)}…`;
}
