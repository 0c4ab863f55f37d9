import { describeRefusal } from "../json/refusals.ts";
import { readFile } from "node:fs/promises";
import { isJsonObject, type JsonObject, omit } from "../json/object.ts";
import type { Bound } from "../tool/overrides.ts";
import { describeIssues, issuesOf } from "../schema/issues.ts";
import { JsonSyntaxError, parseJson } from "../json/parse.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Check } from "../schema/check.ts";
import { reasonOf } from "../errors/reason.ts";
import { closest } from "../schema/suggest.ts";
import { parseJsonFile } from "../sources/folder/json-file.ts";

/** One entry of a tool's `examples.json`. */
export interface Example {
  /** Its place in the file, from 1. */
  readonly number: number;
  readonly arguments: JsonObject;
  /** Absent if the example has none. */
  readonly result?: unknown;
}

export interface ToolExamples {
  readonly examples: readonly Example[];
  /** Problems of the file or of its entries; entries with a problem are not among the examples. */
  readonly problems: readonly string[];
}

const members = ["arguments", "result", "tool"];

/**
 * Reads the examples next to a tool's module: `[{"arguments":…,"result":…}]`. In a folder of several tools each entry
 * names its `tool`.
 */
export async function readExamples(registry: Registry, { tool }: RegisteredTool): Promise<ToolExamples> {
  if (tool.module?.startsWith("file:") !== true) return { examples: [], problems: [] };
  const text = await readIfThere(new URL("examples.json", tool.module));
  if (text === undefined) return { examples: [], problems: [] };
  const list = parse(text);
  if (typeof list === "string") return { examples: [], problems: [list] };
  const tools = toolsOfModule(registry, tool.module);
  const entries = list.map((entry, index) => readExample(entry, index + 1, tools));
  // A problem of the file is reported once.
  const isFirst = tools[0] === tool.name;
  return {
    examples: entries.flatMap((entry) =>
      typeof entry !== "string" && entry.tool === tool.name ? [entry.example] : [],
    ),
    problems: isFirst ? entries.filter((entry) => typeof entry === "string") : [],
  };
}

function toolsOfModule(registry: Registry, module: string): string[] {
  const all = [...registry.list(), ...registry.unavailable()];
  return all.filter(({ tool }) => tool.module === module).map(({ tool }) => tool.name);
}

/** Mismatches with the tool's schemas, each with the example's number. */
export function checkExample(entry: RegisteredTool, example: Example): string[] {
  const { response } = entry;
  const problems = [argumentsProblem(entry, example.arguments)];
  if (response !== undefined && "result" in example)
    problems.push(mismatch("its result does", response, example.result));
  return problems.filter((problem) => problem !== undefined).map((problem) => `example ${example.number}: ${problem}`);
}

/** The arguments of an example, with the values that are bound and that it leaves out. */
export function withBoundValues(bind: ReadonlyMap<string, Bound>, args: JsonObject): JsonObject {
  const values = [...bind].flatMap(([name, { to }]) => (to !== null && "value" in to ? [[name, to.value]] : []));
  return { ...(Object.fromEntries(values) as JsonObject), ...args };
}

/** An example may contain bound arguments, or leave them out as a call does. */
function argumentsProblem({ parameters, binding }: RegisteredTool, args: JsonObject): string | undefined {
  if (binding === undefined) return mismatch("its arguments do", parameters, args);
  const bind = new Map([...binding.bound].map(([name, to]) => [name, { to, isByName: false }]));
  const all = withBoundValues(bind, args);
  if (binding.parameters.accepts(all)) return undefined;
  const names = [...bind.keys()];
  const problem = mismatch("its arguments do", parameters, omit(args, ...names));
  const isWhole = names.every((name) => Object.hasOwn(all, name));
  return problem ?? (isWhole ? "its arguments and the bound values together do not match the schema" : undefined);
}

function mismatch(what: string, check: Check, value: unknown): string | undefined {
  if (check.accepts(value)) return undefined;
  return `${what} not match the schema: ${describeIssues(issuesOf(check, value))}`;
}

async function readIfThere(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

/** @returns the entries, or the problem of the file */
function parse(text: string): readonly unknown[] | string {
  const json = text.replace(/^\uFEFF/, "");
  try {
    // Parsed first like the schemas next to it, for the line of a syntax error; then like arguments, whose numbers must
    // be exact.
    parseJsonFile("examples.json", json);
    const { value, refusals } = parseJson(json);
    const [refusal] = refusals;
    if (refusal !== undefined) return `examples.json is refused: ${describeRefusal(refusal)}`;
    return Array.isArray(value) ? value : 'examples.json must be an array of {"arguments": …, "result": …}';
  } catch (error) {
    const reason = reasonOf(error) ?? "";
    return error instanceof JsonSyntaxError ? `examples.json cannot be read: ${reason}` : reason;
  }
}

/** @returns the example and its tool, or its problem */
function readExample(
  entry: unknown,
  number: number,
  tools: readonly string[],
): { example: Example; tool: string } | string {
  if (!isJsonObject(entry)) return `example ${number} must be an object`;
  const unknown = Object.keys(entry).find((key) => !members.includes(key));
  if (unknown !== undefined) {
    const meant = closest(unknown, members) ?? foreignMembers.get(unknown);
    const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    return `example ${number} contains ${JSON.stringify(unknown)}, which is not a field of an example${hint}`;
  }
  const { arguments: args, tool = tools.length === 1 ? tools[0] : undefined } = entry;
  if (!isJsonObject(args)) return `example ${number} must contain "arguments", an object`;
  if (typeof tool !== "string") return `example ${number} must contain "tool", because the folder has several tools`;
  if (!tools.includes(tool))
    return `example ${number} is for ${JSON.stringify(tool)}, which the folder does not contain`;
  return { tool, example: { number, arguments: args, ...("result" in entry && { result: entry["result"] }) } };
}

const foreignMembers: ReadonlyMap<string, string> = new Map([
  ["args", "arguments"],
  ["input", "arguments"],
  ["output", "result"],
  ["expected", "result"],
  ["response", "result"],
]);
