import { checkParameters } from "../schema/parameters.ts";
import { hintAtForeignForm } from "./lint-tool.ts";
import { isPrepared } from "./prepared-tool.ts";
import type { Tool, ToolSettings } from "./tool.ts";

/** The longest time limit of a call, in milliseconds. */
export const maxTimeoutMs = 900_000;

/**
 * @param given the tool as its author wrote it, whose other fields may be what was meant
 * @throws Error with the reason if the tool's settings are not what they must be
 */
export function checkTool(tool: Tool, given: object): void {
  checkSettings(tool, given);
  // Those of a prepared tool are valid.
  if (!isPrepared(tool)) checkSchemas(tool, given);
}

function checkSettings(tool: Omit<Tool, "parameters" | "response">, given: object): void {
  checkName(tool.name, given);
  if (typeof tool.description !== "string" || tool.description.trim() === "") {
    throw new Error(`it has no description${hintAtForeignForm(given, "description")}`);
  }
  if (typeof tool.execute !== "function")
    throw new Error(`"execute" must be a function${hintAtForeignForm(given, "execute")}`);
  checkTypes(tool);
  if (tool.timeoutMs !== undefined) checkTimeoutMs(tool.timeoutMs);
  if (tool.isolation !== undefined && tool.isolation !== "inline" && tool.isolation !== "thread") {
    throw new Error('"isolation" must be "inline" or "thread"');
  }
  checkRetries(tool.retries);
  checkCount("resultBytes", tool.resultBytes);
}

function checkSchemas(tool: Tool, given: object): void {
  if (tool.parameters === undefined) {
    const meant = hintAtForeignForm(given, "parameters");
    throw new Error(`it has no parameters: neither in the module nor in parameters.json${meant}`);
  }
  checkParameters(tool.parameters);
}

/** What every provider accepts as a tool's name. */
export const toolNamePattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * @param given the tool as its author wrote it
 * @throws Error for what is not a tool's name
 */
export function checkName(name: unknown, given: object = {}): void {
  if (typeof name === "string" && toolNamePattern.test(name)) return;
  if (name === undefined) throw new Error(`it has no name${hintAtForeignForm(given, "name")}`);
  throw new Error("the name must be 1 to 64 characters of a-z, A-Z, 0-9, _ and -, and start with a letter or _");
}

function checkTypes({ title, tags, requires, annotations, strict, contentBlocks }: ToolSettings): void {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
  if (title !== undefined && typeof title !== "string") throw new Error('"title" must be a string');
  if (tags !== undefined && !isList(tags)) throw new Error('"tags" must be an array of strings');
  if (requires !== undefined && !isList(requires)) throw new Error('"requires" must be an array of strings');
  const isSet = typeof annotations === "object" && annotations !== null && !Array.isArray(annotations);
  if (annotations !== undefined && !(isSet && Object.values(annotations).every(isSwitch))) {
    throw new Error('"annotations" must be an object with boolean values');
  }
  if (!isSwitch(strict) || !isSwitch(contentBlocks)) throw new Error('"strict" and "contentBlocks" must be booleans');
}

function isSwitch(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

/** @throws Error for an invalid time limit */
export function checkTimeoutMs(timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs) return timeoutMs;
  throw new Error(`"timeoutMs" must be a whole number from 1 to ${maxTimeoutMs}, got ${shown(timeoutMs)}`);
}

/** @throws Error for an invalid number of retries */
export function checkRetries(retries: number | undefined): number | undefined {
  if (retries === undefined || (Number.isInteger(retries) && retries >= 0 && retries <= 5)) return retries;
  throw new Error(`"retries" must be a whole number from 0 to 5, got ${shown(retries)}`);
}

/** @throws Error for an invalid count */
export function checkCount(name: string, count: number | undefined): number | undefined {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 1)) return count;
  throw new Error(`"${name}" must be a whole number of at least 1, got ${shown(count)}`);
}

/** A value that is not a number may be long, or be what a stranger sent. */
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : `a value of type ${value === null ? "null" : typeof value}`;
}
