import type { Env } from "../config/environment.ts";

/** The input and output of a command line. Tests pass their own, so that most of them need no process. */
export interface OuterIo {
  readonly env: Env;
  /** The base of relative paths. */
  readonly cwd: string;
  /** Writes to stdout: the command's result. */
  out(text: string): void;
  /** Writes to stderr. */
  err(text: string): void;
  /** All of stdin. */
  input(): Promise<string>;
  /** Stdin while it comes. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The same for one command. */
export interface Io extends OuterIo {
  /** Registers a function that runs when the command ends, even if it fails: it closes what the command opened. */
  onEnd(close: () => Promise<void>): void;
}

/** @returns the exit code; undefined if the process continues */
export type Command = (args: readonly string[], io: Io) => Promise<number | undefined>;

/** Names, messages and keys of schemas are untrusted, and a terminal obeys some characters. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
