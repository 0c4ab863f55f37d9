import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";
import { decodePercent } from "../../../json/pointer.ts";
import { DocumentRefused, readText } from "./read-text.ts";

/** How the files beside a document are read. */
export interface LocalFiles {
  /** Of the document, absolute. */
  readonly path: string;
  /** @returns undefined if there is no such file */
  read(path: string): string | undefined;
}

/** Where the other files are in the document. */
const place = "x-toolhost-files";
const maxFiles = 500;
const maxCharacters = 50_000_000;

interface Part {
  readonly root: unknown;
  readonly path: string;
  /** JSON Pointer from the root of the document. */
  readonly pointer: string;
}

/**
 * Puts the files that a document refers to into the document, and changes the references to them. Only files inside the
 * document's folder are read: no `..` out of it, no absolute path, no link out of it, no URL. Other references stay,
 * and lead nowhere.
 */
export function bundleFiles(root: JsonObject, { path, read }: LocalFiles): void {
  const folder = realpathSync(dirname(path)) + sep;
  const pointers = new Map<string, string | undefined>([[realPath(path), ""]]);
  const files: JsonObject = {};
  const parts: Part[] = [{ root, path, pointer: "" }];
  let characters = 0;

  const pointerOf = (file: string): string | undefined => {
    const real = realPath(file);
    if (!pointers.has(real)) pointers.set(real, real.startsWith(folder) ? load(real) : undefined);
    return pointers.get(real);
  };
  const load = (file: string): string | undefined => {
    const text = pointers.size > maxFiles ? undefined : read(file);
    if (text === undefined || (characters += text.length) > maxCharacters) return undefined;
    const value = readValue(text);
    if (value === undefined) return undefined;
    const pointer = `/${place}/${freeKey(file, files)}`;
    setOwn(files, pointer.slice(place.length + 2), value);
    parts.push({ root: value, path: file, pointer });
    return pointer;
  };
  // The list grows during the loop.
  for (const part of parts) changeReferences(part, pointerOf);
  if (parts.length > 1) setOwn(root, place, files);
}

function changeReferences({ root, path, pointer }: Part, pointerOf: (file: string) => string | undefined): void {
  const values: unknown[] = [root];
  // An alias of YAML makes one object of two places.
  const seen = new Set<unknown>();
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const member of Object.values(value)) if (typeof member === "object") values.push(member);
    if (!isJsonObject(value) || typeof value["$ref"] !== "string") continue;
    const [target = "", fragment = ""] = value["$ref"].split(/#(.*)/s);
    if (fragment !== "" && !fragment.startsWith("/")) continue;
    const found = target === "" ? pointer : findFile(target, path, pointerOf);
    if (found !== undefined) value["$ref"] = `#${found}${fragment}`;
  }
}

function findFile(target: string, from: string, pointerOf: (file: string) => string | undefined): string | undefined {
  const relative = decodePercent(target);
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(relative) || relative.startsWith("//");
  if (isUrl || isAbsolute(relative) || relative.includes("\0")) return undefined;
  return pointerOf(resolve(dirname(from), relative));
}

/** A file that cannot be read as JSON or YAML is as good as none. */
function readValue(text: string): JsonObject | undefined {
  try {
    return readText(text).root;
  } catch (error) {
    if (error instanceof DocumentRefused) return undefined;
    throw error;
  }
}

/** For a file that does not exist, the place that it would have. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : join(realPath(folder), basename(file));
  }
}

function freeKey(file: string, taken: JsonObject): string {
  const name = basename(file)
    .replace(/\.(?:json|ya?ml)$/i, "")
    .replace(/[^a-zA-Z0-9_.-]+/g, "_");
  let key = name === "" || name === "__proto__" ? "file" : name;
  for (let count = 2; Object.hasOwn(taken, key); count++) key = `${name}_${count}`;
  return key;
}
