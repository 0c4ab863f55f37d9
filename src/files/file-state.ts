import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { markOf } from "./file-mark.ts";

/** A file as it was when it was read. */
export interface FileState {
  /** As in a snapshot of the watcher. Empty if there is no file. */
  readonly mark: string;
  /** Of its content. Empty if there is no file. */
  readonly hash: string;
  readonly text: string | undefined;
}

/** A file that exists and cannot be read now, which is not a fault of its author. */
export class ReadFault extends Error {
  override readonly name = "ReadFault";
}

export const missing: FileState = { mark: "", hash: "", text: undefined };

/** The clock of a file system may advance in steps of several milliseconds. */
const clockTickMs = 50;
/** Too many open files, a disk or a network that fails, permissions that a deployment has not set yet. */
const faultCodes = new Set([
  "EMFILE",
  "ENFILE",
  "EIO",
  "EACCES",
  "EPERM",
  "EAGAIN",
  "EBUSY",
  "ENOMEM",
  "ESTALE",
  "ETIMEDOUT",
]);

/**
 * Synchronous, as the watcher's looks are: a file takes microseconds, and a promise for each step of it ten times that.
 * @throws ReadFault if there is a file that cannot be read
 */
export function readState(path: string): FileState {
  try {
    // First, so that a file that changes in between is looked at again.
    const now = Date.now();
    const stats = statSync(path);
    if (!stats.isFile()) return missing;
    const bytes = readFileSync(path);
    // Written again within the same tick of the clock, it would look the same.
    const isFresh = Math.abs(now - stats.ctimeMs) < clockTickMs;
    return { mark: isFresh ? `${markOf(stats)}?` : markOf(stats), hash: hashOf(bytes), text: bytes.toString("utf8") };
  } catch (error) {
    const fault = readFaultOf(error, path);
    if (fault !== undefined) throw fault;
    return missing;
  }
}

/** @returns undefined if the error shows a fault of the files themselves */
export function readFaultOf(thrown: unknown, path = ""): ReadFault | undefined {
  if (thrown instanceof ReadFault) return thrown;
  const code = codeOf(thrown);
  if (code === undefined || !faultCodes.has(code)) return undefined;
  const what = path === "" ? "a file" : basename(path);
  return new ReadFault(`${what} cannot be read now (${code})`, { cause: thrown });
}

function codeOf(thrown: unknown): string | undefined {
  try {
    const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64");
}
