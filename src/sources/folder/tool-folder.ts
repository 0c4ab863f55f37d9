import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { ToolWarning } from "../../core/observer.ts";
import { checkName } from "../../tool/check-tool.ts";
import { findTools } from "../../tool/exported-tools.ts";
import { reasonOf } from "../../errors/reason.ts";
import type { Skipped } from "../../core/registry/tool-groups.ts";
import type { Tool } from "../../tool/tool.ts";
import { readFaultOf, readState } from "../../files/file-state.ts";
import { parseJsonFile } from "./json-file.ts";
import { explainFailure } from "./load-failure.ts";
import { loadModule, type Round } from "./load-module.ts";
import { readModuleGraph } from "./module-graph.ts";
import { findIndex, findMisnamed, type Stray } from "./stray-files.ts";

export const moduleNames = ["tool.mjs", "tool.js", "tool.ts"];
const schemaNames = ["parameters.json", "response.json"];

/** The result of reading one folder. */
export interface LoadedFolder {
  readonly folder: string;
  readonly tools: readonly Tool[];
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly ToolWarning[];
  /** A module that may be meant as a tool's, unless a tool imports it. */
  readonly stray?: Stray;
  /** The files that it is made of or would be, by path, each with its mark when it was read. */
  readonly files: ReadonlyMap<string, string>;
  /** The folders of which any name may belong to it, each with the mark of its names. */
  readonly searched: ReadonlyMap<string, string>;
  /** Equal if its tools come from the same code and the same JSON files. Empty if they could not be loaded. */
  readonly content: string;
  /** A file could not be read, which may be otherwise in a moment. */
  readonly isToBeRepeated: boolean;
}

type Loaded = Pick<LoadedFolder, "tools" | "skipped" | "warnings" | "stray">;

const none: Loaded = { tools: [], skipped: [], warnings: [] };

/** The facts about a folder so far. */
interface Reading {
  readonly folder: string;
  readonly files: Map<string, string>;
  searched: ReadonlyMap<string, string>;
  /** The real paths of the module's files. */
  code: readonly string[];
  content: string;
}

/**
 * Loads the tool of a folder, or the tools: a module may export several, each with its own schemas. The folder's JSON
 * files are the schemas of a single tool that has none in the module. Never throws.
 */
export async function loadToolFolder(folder: string, round: Round): Promise<LoadedFolder> {
  const files = new Map([...moduleNames, ...schemaNames].map((name) => [join(folder, name), ""]));
  const reading: Reading = { folder, files, searched: new Map(), code: [], content: "" };
  try {
    const loaded = await loadTools(reading, round);
    const { content, searched } = reading;
    return { folder, ...loaded, files, searched, content, isToBeRepeated: false };
  } catch (error) {
    const fault = readFaultOf(error);
    const reason = await explainFailure(fault ?? error, { folder, files: reading.code });
    const skipped = [{ name: basename(folder), reason }];
    // A file that could not be read has no mark, and is read again in any case.
    if (fault !== undefined) files.clear();
    const { searched } = reading;
    return { folder, ...none, skipped, files, searched, content: "", isToBeRepeated: fault !== undefined };
  }
}

async function loadTools(reading: Reading, round: Round): Promise<Loaded> {
  const { folder, files } = reading;
  const file = findModule(folder);
  const texts = schemaNames.map((name) => {
    const { mark, text } = readState(join(folder, name));
    files.set(join(folder, name), mark);
    return text;
  });
  if (file === undefined) return withoutModule(folder, texts[0] !== undefined);
  const graph = readModuleGraph(join(folder, file));
  for (const { path, mark } of graph.files) files.set(path, mark);
  reading.searched = graph.folders;
  reading.code = graph.files.filter(({ mark }) => mark !== "").map((each) => each.file);
  /*
   * On the main thread, whatever the tool's isolation: it is not known before, and its settings may hold schema objects
   * that cannot cross from a thread.
   */
  const { namespace, url } = await loadModule(graph, round);
  // A module that changed has another URL.
  reading.content = JSON.stringify([url, ...texts]);
  const tools = findTools(namespace) as unknown as Tool[];
  if (tools.length > 1)
    return severalOf(
      folder,
      tools,
      url,
      schemaNames.filter((_, index) => texts[index] !== undefined),
    );
  const [parameters, response] = texts.map((text, index) =>
    text === undefined ? undefined : parseJsonFile(schemaNames[index] ?? "", text),
  );
  return sort(
    folder,
    tools.map((tool) => complete(tool, { module: url, parameters, response })),
  );
}

/** @throws Error if it is meant as a tool; any other folder is ignored */
function withoutModule(folder: string, hasParameters: boolean): Loaded {
  const misnamed = findMisnamed(folder);
  if (misnamed !== undefined) throw new Error(misnamed);
  const stray = findIndex(folder);
  if (!hasParameters) return { ...none, ...(stray !== undefined && { stray }) };
  const hint = stray === undefined ? "" : `: ${stray.warning.message}`;
  throw new Error(`it has no tool.mjs, tool.js or tool.ts${hint}`);
}

function severalOf(folder: string, given: readonly Tool[], module: string, unused: readonly string[]): Loaded {
  const reason = `it has no parameters: the module exports ${given.length} tools, so each must have its own`;
  const tools = given.map((tool) => complete(tool, { module }));
  const bare = tools.filter((tool) => tool.parameters === undefined);
  const { tools: named, skipped } = sort(
    folder,
    tools.filter((tool) => !bare.includes(tool)),
  );
  return {
    tools: named,
    skipped: [...skipped, ...bare.map((tool) => ({ name: nameIn(folder, tool), reason }))],
    warnings: unused.map((name) => ({
      name: basename(folder),
      message: `${name} is not used: the module exports ${given.length} tools, so each must have its own schemas`,
    })),
  };
}

/** Tools without a valid name are skipped here, because their folder is known here. */
function sort(folder: string, given: readonly Tool[]): Loaded {
  const tools: Tool[] = [];
  const skipped: Skipped[] = [];
  for (const tool of given) {
    const name = nameIn(folder, tool);
    try {
      checkName(tool.name, tool);
      tools.push(tool);
    } catch (error) {
      const place = name === basename(folder) ? "" : ` (it is in the folder ${basename(folder)})`;
      skipped.push({ name, reason: `${reasonOf(error) ?? "its name cannot be read"}${place}` });
    }
  }
  return { ...none, tools, skipped };
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
 * The module's own object stays behind it, and is `this` inside execute: it may have private members. Defined and not
 * set, for the module's object may be frozen.
 */
function complete(tool: Tool, { module, parameters, response }: FolderFields): Tool {
  const { execute } = tool;
  return Object.create(tool, {
    ...(typeof execute === "function" && { execute: { value: execute.bind(tool) } }),
    // Read once: what a getter says later is of no interest.
    name: { value: tool.name, enumerable: true },
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
