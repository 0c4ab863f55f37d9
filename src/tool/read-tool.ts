import { isJsonObject, type JsonObject } from "../json/object.ts";
import { checkTool } from "./check-tool.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { reasonOf } from "../errors/reason.ts";
import { libraryMark, markTool } from "../schema/library/mark.ts";
import { type ReadSchema, readSchema } from "../schema/library/read.ts";
import { isPrepared } from "./prepared-tool.ts";
import { validateFirst } from "./validate-first.ts";
import type { Tool } from "./tool.ts";

/**
 * A tool as a new record, with JSON Schemas in place of schema objects of a library. Each given field is read once,
 * here, so a getter that later returns another value, or throws, cannot change the checked tool. @throws Error if it is
 * not a tool, or the error of a getter
 */
export function readTool(given: Tool): Tool {
  if (typeof given !== "object" || given === null) throw new Error("it is not a tool");
  if (isPrepared(given)) {
    checkTool(given, given);
    return given;
  }
  const { name, description, title, tags, strict, contentBlocks, annotations, requires } = given;
  const { timeoutMs, concurrency, resultBytes, retries, isolation, module } = given;
  const { execute } = given;
  const parameters = copySchema("parameters", given.parameters);
  const response = copySchema("response", given.response);
  const tool = {
    name,
    description,
    title,
    tags: copyList(tags),
    strict,
    contentBlocks,
    annotations: isJsonObject(annotations) ? { ...annotations } : annotations,
    requires: copyList(requires),
    timeoutMs,
    concurrency,
    resultBytes,
    retries,
    isolation,
    module,
    parameters: parameters?.schema,
    response: response?.schema,
    execute,
  } as Tool;
  checkTool(tool, given);
  // `this` inside is what its author expects.
  const own: Tool["execute"] = (args, context) => execute.call(given, args, context);
  const validate = parameters?.validate;
  const ready = { ...tool, execute: validate === undefined ? own : validateFirst(validate, own) };
  return markTool(ready, parameters, response, libraryMark(given));
}

/** The name of what could not be read or registered, for people. */
export function nameOf(given: Tool): string {
  try {
    const name: unknown = given.name;
    return typeof name === "string" ? name.slice(0, 100) : "a tool without a name";
  } catch {
    return "a tool without a name";
  }
}

function copyList(list: readonly string[] | undefined): readonly string[] | undefined {
  return Array.isArray(list) ? [...(list as readonly string[])] : list;
}

function copySchema(name: string, schema: JsonSchema | undefined): ReadSchema | undefined {
  if (schema === undefined) return undefined;
  try {
    const read = readSchema(schema);
    return { ...read, schema: copyJson(read.schema) as JsonSchema };
  } catch (error) {
    const reason =
      error instanceof RangeError
        ? "the schema is nested too deeply, or refers to itself without end"
        : reasonOf(error);
    throw new Error(`in "${name}", ${reason ?? "the schema cannot be read"}`, { cause: error });
  }
}

/**
 * Copied by hand if an object is plain, as most are: a round trip through JSON takes a sixth of a tool's registration.
 */
function copyJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
  if (!isPlain) return JSON.parse(JSON.stringify(value));
  const copy: JsonObject = { ...value };
  for (const key of Object.keys(copy)) {
    const member = copy[key];
    if (typeof member === "object" && member !== null) copy[key] = copyJson(member);
  }
  return copy;
}
