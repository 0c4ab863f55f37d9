import type { RegisteredTool } from "./registry.ts";

/** Who calls, and what it may do. One object for all the calls of a key or a token. */
export interface Caller {
  /** For logs and events: the hash of a key, a token's issuer and subject, or `anonymous`. Never a secret. */
  readonly id: string;
  /** What it may use; to it there are no other tools. @default every tool */
  readonly rights?: Rights | undefined;
  /** How many calls it may make. @default any number */
  readonly meter?: Meter | undefined;
}

/** The tools that a caller may use. Callers with equal rights share lists, by `key`. */
export interface Rights {
  /** Equal for equal rights, and for no others. */
  readonly key: string;
  allows(entry: RegisteredTool): boolean;
}

/** Counts a caller's calls. */
export interface Meter {
  /** Takes one call off the allowance. @returns 0, or after how many milliseconds the next call will be allowed */
  take(): number;
}

export const anonymous: Caller = { id: "anonymous" };
