import { createHash } from "node:crypto";
import { readdirSync, realpathSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { namesMarkOf } from "../../files/file-mark.ts";
import { type FileState, missing, readState } from "../../files/file-state.ts";
import { findRelativeImports, isEsModule, type RelativeImport } from "./relative-imports.ts";

/** A file that a module is made of, or would be if it were there. */
export interface GraphFile {
  /** As the importer names it. */
  readonly path: string;
  /** Where it really is: the name that Node knows it by. */
  readonly file: string;
  readonly mark: string;
  readonly hash: string;
  /** An ES module that a CommonJS module requires. */
  readonly isRequiredEsm: boolean;
}

/** A module with all that it imports by relative path. */
export interface ModuleGraph {
  /** The module's own file, links followed. */
  readonly entry: string;
  readonly files: readonly GraphFile[];
  /** The folders in which any name may be imported, each with the mark of the names in it. */
  readonly folders: ReadonlyMap<string, string>;
  /** Changes with the content of any file. */
  readonly signature: string;
}

/** Bounds the walk through a program that is written elsewhere. */
const maxFiles = 2000;
const extensions = [".js", ".mjs", ".cjs", ".json", ".ts"];
const code = /\.[cm]?[jt]s$/;

/** @throws ReadFault if a file is there and cannot be read */
export function readModuleGraph(path: string): ModuleGraph {
  const files = new Map<string, GraphFile>();
  const folders = new Map<string, string>();
  const entry = realpathSync.native(path);
  add(path, false);
  const found = [...files.values()];
  const hash = createHash("sha256");
  for (const each of found) hash.update(`${each.file}\0${each.hash}\0`);
  return { entry, files: found, folders, signature: hash.digest("base64") };

  function add(named: string, isRequired: boolean): boolean {
    if (files.has(named)) return files.get(named)?.mark !== "";
    if (files.size >= maxFiles) return false;
    const state = readState(named);
    if (state === missing) return false;
    const file = code.test(named) ? realpathSync.native(named) : named;
    note(named, file, state, isRequired && isEsModule(file, state.text ?? ""));
    if (code.test(file)) addImports(file, state.text ?? "");
    return true;
  }

  function note(named: string, file: string, { mark, hash }: FileState, isRequiredEsm: boolean): void {
    files.set(named, { path: named, file, mark, hash, isRequiredEsm });
  }

  function addImports(importer: string, source: string): void {
    const { imports, isComputed } = findRelativeImports(source);
    for (const each of imports) addImport(dirname(importer), each);
    if (isComputed) addNeighbours(dirname(importer));
  }

  function addImport(folder: string, { specifier, isRequired }: RelativeImport): void {
    for (const candidate of candidatesOf(resolve(folder, decode(specifier)))) {
      if (add(candidate, isRequired)) return;
      // If it comes, it will be what is imported.
      note(candidate, candidate, missing, false);
    }
  }

  /** The name is only known when the module runs: any module beside it may be meant. */
  function addNeighbours(folder: string): void {
    if (folders.has(folder)) return;
    const entries = readdirSync(folder, { withFileTypes: true });
    folders.set(folder, namesMarkOf(entries));
    for (const { name } of entries.filter((each) => code.test(each.name)).slice(0, maxFiles)) {
      add(join(folder, name), false);
    }
  }
}

/** The files that may be meant, as Node, its `require` and TypeScript would look for them. */
function candidatesOf(path: string): string[] {
  const extension = extname(path);
  if (code.test(path)) return [path, ...(extension.endsWith("js") ? [path.replace(/js$/, "ts")] : [])];
  if (extensions.includes(extension)) return [path];
  return [path, ...extensions.map((each) => path + each), ...extensions.map((each) => join(path, `index${each}`))];
}

/** Imports are written as URLs. */
function decode(specifier: string): string {
  try {
    return decodeURIComponent(specifier);
  } catch {
    return specifier;
  }
}
