import type { Env } from "../config/environment.ts";

/** What a command line reads and writes. Tests give their own, so that most of them need no process. */
export interface OuterIo {
  readonly env: Env;
  /** What relative paths start from. */
  readonly cwd: string;
  /** Writes to stdout, which is the command's answer. */
  out(text: string): void;
  /** Writes to stderr. */
  err(text: string): void;
  /** All of stdin. */
  input(): Promise<string>;
}

/** The same for one command. */
export interface Io extends OuterIo {
  /** Calls this when the command has ended, well or not: for what it leaves open while it runs. */
  onEnd(close: () => Promise<void>): void;
}

/** @returns the exit code; undefined if the process goes on */
export type Command = (args: readonly string[], io: Io) => Promise<number | undefined>;

/** Names, messages and keys of schemas are anybody's, and a terminal obeys some characters. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
