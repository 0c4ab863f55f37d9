import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isJsonObject } from "../json/object.ts";
import { findEmptyBindings } from "./empty-bindings.ts";
import type { EnvironmentReading } from "./environment.ts";
import { checkFile } from "./check-file.ts";
import type { ConfigFile } from "./config-file.ts";
import { fileSchema } from "./file-schema.ts";
import { placeOf, type Tell } from "./place.ts";
import { readSourceValues, type SourceValues } from "./source-values.ts";
import { expandVariables } from "./variables.ts";
import { parseYaml, type Path, type YamlProblem } from "../yaml/document.ts";

const defaultName = "toolhost.yaml";
const maxFileBytes = 262_144;
/** More problems than this are one mistake repeated, or the file is not a configuration file. */
const maxProblems = 100;

/** The content of a configuration file. */
export interface FileReading extends SourceValues {
  /** Its content. */
  readonly text: string;
  /** Whether it sets nothing. */
  readonly isEmpty: boolean;
  readonly settings: ConfigFile;
  /**
   * Whether it has `auth`, faulty or not. A faulty one is already reported, so a missing key need not be reported too.
   */
  readonly saysWhoMayCall: boolean;
  /** Strings that contain values of the environment. */
  readonly secrets: ReadonlySet<string>;
}

/**
 * Reads a configuration file. Problems are added to those of the reading, each as `toolhost.yaml:7: limits.bodyBytes
 * …`.
 * @param path absolute
 */
export function readFile(path: string, reading: EnvironmentReading, schema = fileSchema): FileReading {
  const { env, problems, origins } = reading;
  const name = basename(path);
  const nothing = { text: "", isEmpty: false, settings: {}, sources: [], folders: [] };
  const unreadable = { ...nothing, saysWhoMayCall: true, secrets: new Set<string>() };
  const text = readText(path);
  if ("problem" in text) {
    problems.push(`${displayName(path)} ${text.problem}`);
    return unreadable;
  }
  const document = parseYaml(text.content);
  if (!("lineOf" in document)) {
    tellByLine(name, document, problems);
    return unreadable;
  }

  const told = new Map<string, YamlProblem>();
  let untold = 0;
  const tell: Tell = (at, problem) => {
    if (told.size === maxProblems) {
      untold += 1;
      return;
    }
    const place = placeOf(at);
    // The first problem of a place is the cause; the others follow from it.
    if (told.has(place)) return;
    const words = typeof problem === "string" ? problem : problem();
    told.set(place, { line: document.lineOf(at), text: `${place || "the file"} ${words}` });
  };
  const secrets = new Set<string>();
  // A file that contains only comments is valid.
  const value = expandVariables(document.value ?? {}, env, tell, (secret) => secrets.add(secret));
  const settings = checkFile(value, tell, schema);
  for (const path of findEmptyBindings(value, document)) {
    tell(path, "is empty; write null if this is intended");
  }
  tellByLine(name, [...told.values()], problems, untold);
  noteLines(value, (place, at) => origins.set(place, `${name}:${document.lineOf(at)}`));
  const values = readSourceValues(settings.tools ?? [], schema.kinds, { base: dirname(path), fileName: name, secrets });
  const jwksUrl = settings.auth?.jwt?.jwksUrl;
  if (jwksUrl !== undefined && secrets.has(jwksUrl)) secrets.add(new URL(jwksUrl).origin);
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  const isEmpty = keys.length === 0;
  return { text: text.content, isEmpty, settings, ...values, saysWhoMayCall: keys.includes("auth"), secrets };
}

function readText(path: string): { content: string } | { problem: string } {
  try {
    const stats = statSync(path);
    // A pipe may never send anything and a device may never end: the service would wait.
    if (!stats.isFile()) return { problem: "is not a regular file" };
    if (stats.size > maxFileBytes) return { problem: "is larger than 256 KiB" };
    const bytes = readFileSync(path);
    if (bytes.length > maxFileBytes) return { problem: "is larger than 256 KiB" };
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: "is not UTF-8" };
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === "ENOENT" ? "does not exist" : `cannot be read: ${code}` };
  }
}

/** @param untold number of problems that are counted but not described */
function tellByLine(name: string, found: readonly YamlProblem[], problems: string[], untold = 0): void {
  const sorted = found.toSorted((a, b) => a.line - b.line);
  problems.push(...sorted.slice(0, maxProblems).map(({ line, text }) => `${name}:${line}: ${text}`));
  const more = Math.max(0, found.length - maxProblems) + untold;
  if (more > 0) problems.push(`${name}: and ${more} more problems`);
}

/**
 * Notes the line of each section and of each limit. Only those have the same name in the file and in the configuration.
 */
function noteLines(value: unknown, note: (place: string, at: Path) => void): void {
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) if (key !== "tools") note(key, [key]);
  const limits = value["limits"];
  if (isJsonObject(limits)) for (const key of Object.keys(limits)) note(`limits.${key}`, ["limits", key]);
}

/** The name of a file that cannot be read: in full, because `null` alone would not explain `/dev/null`. */
function displayName(path: string): string {
  return basename(path) === defaultName ? defaultName : path;
}
