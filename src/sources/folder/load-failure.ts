import { dirname } from "node:path";
import { reasonOf } from "../../errors/reason.ts";
import { ReadFault, readState } from "../../files/file-state.ts";
import { parseJsonFile } from "./json-file.ts";
import { showPath, toPath, withoutOwnPaths } from "./own-paths.ts";
import { findSyntaxFault, type Place, readArrow } from "./syntax-place.ts";

/** Where a failed module was to come from. */
export interface FailedModule {
  readonly folder: string;
  /** Its files, the module's own first. Empty if they were not read. */
  readonly files: readonly string[];
}

/**
 * Describes for people why a tool was not loaded, and the place of the fault, without a path of this machine. Never
 * throws.
 */
export async function explainFailure(thrown: unknown, { folder, files }: FailedModule): Promise<string> {
  const folders = [folder, ...files.slice(0, 1).map((file) => dirname(file))];
  const reason = reasonOf(thrown);
  if (reason === undefined) return "its module threw a value that is not an error";
  if (thrown instanceof ReadFault) return reason;
  if (/^Unknown file extension .*\/tool\.ts$/.test(reason)) {
    return "this Node cannot load tool.ts: write tool.mjs, or run Node 22.18 or later";
  }
  // CommonJS names the files that led to it behind its message.
  const [message = ""] = reason.split("\nRequire stack:");
  const shown = withoutOwnPaths(message, folders);
  const requirer = /\nRequire stack:\n- (\S.*)/.exec(reason)?.[1];
  if (codeOf(thrown).endsWith("MODULE_NOT_FOUND")) {
    const importer = requirer === undefined ? "" : `, required by ${showPath(requirer, folders)}`;
    return `${shown}${importer}${installHint(message)}`;
  }
  const inJson = thrown instanceof SyntaxError ? readJsonFault(reason, folders) : undefined;
  if (inJson !== undefined) return inJson;
  const stack = stackOf(thrown);
  const threwAt = placeOfFrame(stack, folder, files);
  const isSyntax = threwAt === undefined && thrown instanceof SyntaxError;
  const fault = isSyntax ? (readArrow(stack) ?? (await findSyntaxFault(files))) : undefined;
  if (fault !== undefined) return `syntax error in ${showPlace(fault, folders)}: ${shown}`;
  return threwAt === undefined
    ? shown
    : `its module threw an error while it was loaded, at ${showPlace(threwAt, folders)}: ${shown}`;
}

function installHint(message: string): string {
  const [, missing = "."] = /^Cannot find (?:package|module) '([^']*)'/.exec(message) ?? [];
  if (/^[./#]|^file:/.test(missing)) return "";
  if (/^toolhost(?:$|\/)/.test(missing)) {
    return `: run npm install with the path of your clone, in the tool's folder or above it; or export a plain object as the tool without importing toolhost, and throw errors whose "name" is "ToolError"`;
  }
  return ": run npm install in the tool's folder or above it";
}

/** V8 says at which character of an imported JSON file the fault is, and not in all versions at which line. */
function readJsonFault(reason: string, folders: readonly string[]): string | undefined {
  const file = /^(\/.*?\.json): /.exec(reason)?.[1];
  if (file === undefined) return undefined;
  try {
    parseJsonFile(showPath(file, folders), readState(file).text ?? "");
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The innermost code that is not Node's, if it is the tool's or a package's: what threw while it was imported. */
function placeOfFrame(stack: string, folder: string, files: readonly string[]): Place | undefined {
  const frames = stack.matchAll(/^ {4}at .*?\(?((?:file:\/\/)?\/[^\n()]*?)(?:\?toolhost=\d+)?:(\d+):(\d+)\)?$/gm);
  for (const [, named = "", line, column] of frames) {
    const file = toPath(named);
    const isTools = files.includes(file) || file.includes(`${folder}/`);
    const isPackages = file.includes("/node_modules/") && !file.includes("/node_modules/toolhost/");
    return isTools || isPackages ? { file, line: Number(line), column: Number(column) } : undefined;
  }
  return undefined;
}

function showPlace({ file, line, column }: Place, folders: readonly string[]): string {
  return `${showPath(file, folders)}:${line}${column === undefined ? "" : `:${column}`}`;
}

function codeOf(thrown: unknown): string {
  return readText(thrown, "code");
}

function stackOf(thrown: unknown): string {
  return readText(thrown, "stack");
}

/** A foreign error may have getters that throw. */
function readText(thrown: unknown, key: "code" | "stack"): string {
  try {
    const value: unknown = (thrown as Readonly<Record<string, unknown>>)[key];
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}
