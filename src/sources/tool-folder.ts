import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject } from "../core/json.ts";
import { reasonOf } from "../core/reason.ts";
import type { Skipped } from "../core/registry.ts";
import type { Tool } from "../core/tool.ts";
import { ReadFault, readFaultOf, readState } from "./file-state.ts";
import { loadModule, type Round } from "./load-module.ts";
import { readModuleGraph } from "./module-graph.ts";

export const moduleNames = ["tool.mjs", "tool.js", "tool.ts"];
const schemaNames = ["parameters.json", "response.json"];

/** What came of one folder. */
export interface LoadedFolder {
  readonly folder: string;
  readonly tools: readonly Tool[];
  readonly skipped: readonly Skipped[];
  /** The files that it is made of or would be, by path, each with its mark when it was read. */
  readonly files: ReadonlyMap<string, string>;
  /** A file could not be read, which may be otherwise in a moment. */
  readonly isToBeRepeated: boolean;
}

/** Loads the tool of a folder. Never throws. */
export async function loadToolFolder(folder: string, round: Round): Promise<LoadedFolder> {
  const files = new Map([...moduleNames, ...schemaNames].map((name) => [join(folder, name), ""]));
  try {
    return { folder, tools: await loadTools(folder, files, round), skipped: [], files, isToBeRepeated: false };
  } catch (error) {
    const fault = readFaultOf(error);
    const skipped = [{ name: basename(folder), reason: explain(fault ?? error) }];
    // What could not be read has no marks; it is looked at again in any case.
    if (fault !== undefined) files.clear();
    return { folder, tools: [], skipped, files, isToBeRepeated: fault !== undefined };
  }
}

/** @param files is filled in with what was read */
async function loadTools(folder: string, files: Map<string, string>, round: Round): Promise<Tool[]> {
  const file = findModule(folder);
  const schemas = schemaNames.map((name) => readState(join(folder, name)));
  schemaNames.forEach((name, index) => files.set(join(folder, name), schemas[index]?.mark ?? ""));
  if (file === undefined) {
    // A folder of anything else is not worth a word; one with parameters is meant as a tool.
    if (schemas[0]?.text === undefined) return [];
    throw new Error("it has no tool.mjs, tool.js or tool.ts");
  }
  const graph = readModuleGraph(join(folder, file));
  for (const { path, mark } of graph.files) files.set(path, mark);
  /*
   * On the main thread, whatever the tool's isolation: it is not known before, and its settings may hold schema objects
   * that cannot cross from a thread.
   */
  const { namespace, url } = await loadModule(graph, round);
  const tool = isJsonObject(namespace) ? namespace["tool"] : undefined;
  if (!isJsonObject(tool)) throw new Error(`${file} does not export a tool: export const tool = { name, … }`);
  const [parameters, response] = schemas.map(({ text }, index) =>
    text === undefined ? undefined : parse(schemaNames[index] ?? "", text),
  );
  return [complete(tool as unknown as Tool, url, parameters, response)];
}

/**
 * The module's own object stays behind it: `this` inside execute is what its author expects. Defined and not set, for the
 * module's object may be frozen.
 */
function complete(tool: Tool, module: string, parameters: unknown, response: unknown): Tool {
  return Object.create(tool, {
    module: { value: module },
    ...(tool.parameters === undefined && { parameters: { value: parameters } }),
    ...(tool.response === undefined && response !== undefined && { response: { value: response } }),
  }) as Tool;
}

/** @throws ReadFault */
function findModule(folder: string): string | undefined {
  return moduleNames.find((name) => {
    try {
      return statSync(join(folder, name), { throwIfNoEntry: false })?.isFile();
    } catch (error) {
      const fault = readFaultOf(error, name);
      if (fault !== undefined) throw fault;
      return false;
    }
  });
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is not valid JSON`);
  }
}

function explain(thrown: unknown): string {
  const reason = reasonOf(thrown) ?? "its module threw something that is no error";
  if (thrown instanceof ReadFault) return reason;
  if (/^Unknown file extension .*\/tool\.ts$/.test(reason)) {
    return "this Node cannot load tool.ts: write tool.mjs, or run Node 22.18 or later";
  }
  // Node's own messages name files in full; callers who read `/status` need not know where the service lives.
  return reason.replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\/([^\s/'"]+)/g, "$1");
}
