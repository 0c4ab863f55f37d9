import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { findTools } from "../core/exported-tools.ts";
import { reasonOf } from "../core/reason.ts";
import type { Skipped, ToolWarning } from "../core/registry.ts";
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
  readonly warnings: readonly ToolWarning[];
  /** The files that it is made of or would be, by path, each with its mark when it was read. */
  readonly files: ReadonlyMap<string, string>;
  /** A file could not be read, which may be otherwise in a moment. */
  readonly isToBeRepeated: boolean;
}

type Loaded = Pick<LoadedFolder, "tools" | "skipped" | "warnings">;

const none: Loaded = { tools: [], skipped: [], warnings: [] };

/**
 * Loads the tool of a folder, or the tools: a module may export several, each with its own schemas. The folder's JSON files
 * are the schemas of a single tool that has none in the module. Never throws.
 */
export async function loadToolFolder(folder: string, round: Round): Promise<LoadedFolder> {
  const files = new Map([...moduleNames, ...schemaNames].map((name) => [join(folder, name), ""]));
  try {
    return { folder, ...(await loadTools(folder, files, round)), files, isToBeRepeated: false };
  } catch (error) {
    const fault = readFaultOf(error);
    const skipped = [{ name: basename(folder), reason: explain(fault ?? error) }];
    // What could not be read has no marks; it is looked at again in any case.
    if (fault !== undefined) files.clear();
    return { folder, ...none, skipped, files, isToBeRepeated: fault !== undefined };
  }
}

/** @param files is filled in with what was read */
async function loadTools(folder: string, files: Map<string, string>, round: Round): Promise<Loaded> {
  const file = findModule(folder);
  const schemas = schemaNames.map((name) => readState(join(folder, name)));
  schemaNames.forEach((name, index) => files.set(join(folder, name), schemas[index]?.mark ?? ""));
  if (file === undefined) {
    // A folder of anything else is not worth a word; one with parameters is meant as a tool.
    if (schemas[0]?.text === undefined) return none;
    throw new Error("it has no tool.mjs, tool.js or tool.ts");
  }
  const graph = readModuleGraph(join(folder, file));
  for (const { path, mark } of graph.files) files.set(path, mark);
  /*
   * On the main thread, whatever the tool's isolation: it is not known before, and its settings may hold schema objects
   * that cannot cross from a thread.
   */
  const { namespace, url } = await loadModule(graph, round);
  const tools = findTools(namespace) as unknown as Tool[];
  const [parameters, response] = schemas.map(({ text }, index) =>
    text === undefined ? undefined : parse(schemaNames[index] ?? "", text),
  );
  const [only] = tools;
  if (only !== undefined && tools.length === 1) {
    return { ...none, tools: [complete(only, { module: url, parameters, response })] };
  }
  const own = tools.map((tool) => complete(tool, { module: url }));
  const unused = schemaNames.filter((_, index) => schemas[index]?.text !== undefined);
  return {
    tools: own.filter((tool) => tool.parameters !== undefined),
    skipped: own
      .filter((tool) => tool.parameters === undefined)
      .map((tool) => ({
        name: nameIn(folder, tool),
        reason: `it has no parameters: the module exports ${tools.length} tools, so each must have its own`,
      })),
    warnings: unused.map((name) => ({
      name: basename(folder),
      message: `${name} is not used: the module exports ${tools.length} tools, so each must have its own schemas`,
    })),
  };
}

/** A tool is called by its name, and one without a name by its folder. */
function nameIn(folder: string, tool: Tool): string {
  const name: unknown = tool.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 100) : basename(folder);
}

interface FolderFields {
  readonly module: string;
  readonly parameters?: unknown;
  readonly response?: unknown;
}

/**
 * The module's own object stays behind it: `this` inside execute is what its author expects. Defined and not set, for the
 * module's object may be frozen.
 */
function complete(tool: Tool, { module, parameters, response }: FolderFields): Tool {
  return Object.create(tool, {
    module: { value: module },
    ...(parameters !== undefined && tool.parameters === undefined && { parameters: { value: parameters } }),
    ...(response !== undefined && tool.response === undefined && { response: { value: response } }),
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
