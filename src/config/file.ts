import { readFileSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isJsonObject } from "../json/object.ts";
import { findEmptyBindings } from "./empty-bindings.ts";
import type { EnvironmentReading } from "./environment.ts";
import { checkFile } from "./check-file.ts";
import type { ConfigFile } from "./config-file.ts";
import { placeOf, type Tell } from "./place.ts";
import { expandVariables } from "./variables.ts";
import { parseYaml, type Path, type YamlProblem } from "../yaml/document.ts";

const defaultName = "toolhost.yaml";
const maxFileBytes = 262_144;
/** Who has more to mend has one mistake many times, or another kind of file. */
const maxProblems = 100;

/** What a configuration file says. */
export interface FileReading {
  /** Its content. */
  readonly text: string;
  /** It sets nothing. */
  readonly isEmpty: boolean;
  readonly settings: ConfigFile;
  /** Its tool folders, wherever the process works. */
  readonly toolFolders: readonly string[];
  /** Whether it says who may call. What is wrong with that was told; that it is missing need not be. */
  readonly saysWhoMayCall: boolean;
  /** Strings that hold values of the environment. */
  readonly secrets: ReadonlySet<string>;
}

/**
 * Reads a configuration file. What is wrong goes to the reading's problems, each as `toolhost.yaml:7: limits.bodyBytes …`.
 * @param path absolute
 */
export function readFile(path: string, reading: EnvironmentReading): FileReading {
  const { env, problems, origins } = reading;
  const name = basename(path);
  const nothing = { text: "", isEmpty: false, settings: {}, toolFolders: [] };
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
    // The first says why; what follows from it is no help.
    if (told.has(place)) return;
    const words = typeof problem === "string" ? problem : problem();
    told.set(place, { line: document.lineOf(at), text: `${place || "the file"} ${words}` });
  };
  const secrets = new Set<string>();
  // A file of comments is empty, and no mistake.
  const value = expandVariables(document.value ?? {}, env, tell, (secret) => secrets.add(secret));
  const settings = checkFile(value, tell);
  for (const path of findEmptyBindings(value, document)) {
    tell(path, "is empty; write the word null if that is meant");
  }
  tellByLine(name, [...told.values()], problems, untold);
  noteLines(value, (place, at) => origins.set(place, `${name}:${document.lineOf(at)}`));
  const toolFolders = (settings.tools ?? []).map(({ folder }) => {
    const absolute = resolve(dirname(path), folder);
    if (secrets.has(folder)) secrets.add(absolute);
    return absolute;
  });
  const jwksUrl = settings.auth?.jwt?.jwksUrl;
  if (jwksUrl !== undefined && secrets.has(jwksUrl)) secrets.add(new URL(jwksUrl).origin);
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  const isEmpty = keys.length === 0;
  return { text: text.content, isEmpty, settings, toolFolders, saysWhoMayCall: keys.includes("auth"), secrets };
}

function readText(path: string): { content: string } | { problem: string } {
  try {
    const stats = statSync(path);
    // A pipe may never give anything, a device never end, and the service would wait.
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

/** @param untold how many more there are than were found words for */
function tellByLine(name: string, found: readonly YamlProblem[], problems: string[], untold = 0): void {
  const sorted = found.toSorted((a, b) => a.line - b.line);
  problems.push(...sorted.slice(0, maxProblems).map(({ line, text }) => `${name}:${line}: ${text}`));
  const more = Math.max(0, found.length - maxProblems) + untold;
  if (more > 0) problems.push(`${name}: and ${more} more problems`);
}

/** The lines of what the configuration calls as the file does: each part, and each limit by itself. */
function noteLines(value: unknown, note: (place: string, at: Path) => void): void {
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) if (key !== "tools") note(key, [key]);
  const limits = value["limits"];
  if (isJsonObject(limits)) for (const key of Object.keys(limits)) note(`limits.${key}`, ["limits", key]);
}

/** How a file that cannot be read is named: `/dev/null` in full, where `null` alone would say nothing. */
function displayName(path: string): string {
  return basename(path) === defaultName ? defaultName : path;
}
