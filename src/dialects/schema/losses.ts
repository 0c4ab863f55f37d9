import type { WarningKind } from "../dialect.ts";

/** What a tool's schema lost in the conversion to a profile. */
export interface Loss {
  /** JSON Pointer into the tool's `parameters`. */
  readonly path: string;
  readonly kind: WarningKind;
  readonly message: string;
}

export type Lose = (path: string, kind: WarningKind, message: string) => void;

/** Collects losses, each only once even if its place is written several times. */
export function createLosses(): { readonly lose: Lose; list(): Loss[] } {
  const losses = new Map<string, Loss>();
  return {
    lose: (path, kind, message) => void losses.set(`${kind} ${path} ${message}`, { path, kind, message }),
    list: () => [...losses.values()],
  };
}

/** A strict schema cannot express this. The message completes "not strict: …". */
export class StrictObstacle extends Error {
  override readonly name = "StrictObstacle";
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** A schema that no profile can express. */
export class Unprojectable extends Error {
  override readonly name = "Unprojectable";
}
