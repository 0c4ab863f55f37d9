import type { ToolWarning } from "./observer.ts";
import type { RegisteredTool, ToolTrust } from "./registry/registered-tool.ts";
import type { Skipped } from "./registry/tool-groups.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * Where tools come from: a folder, a document, a server. A source reads and reports changes; when it is read, how often it
 * is tried and which of its tools get their names is decided in `src/sources/sources.ts`, the same for all kinds.
 * `test/conformance/describe-source.ts` has the rules that every source must keep.
 */
export interface Source {
  /** The `source` of its declarations, and its name in `/status`. */
  readonly name: string;
  /** The `kind` in `/status`, such as `folder`. */
  readonly kind: string;
  readonly trust: SourceTrust;
  /** It is read from this machine: the start and a reload wait for it. @default false */
  readonly isLocal?: boolean;
  /**
   * Reads all tools as they are now; connects first if it has to. Ends soon after the signal, and then leaves no timer and
   * no handle. The next read begins when this one has ended or its signal was aborted.
   * @throws SourceError with a reason for operators; of any other error they see no more than that it failed
   */
  read(signal: AbortSignal): Promise<SourceReading>;
  /** Reports changes until it is closed. Called once, before the first read. @default it never changes by itself */
  watch?(listener: SourceListener): void;
  /** The files that it was made of when it was last read, well or not: a change of one leads to a reload. @default none */
  files?(): WatchedFiles;
  /** Ends it: no notice follows, and running calls finish first. The second call has no effect. @default nothing to end */
  close?(): Promise<void>;
}

/** Each kind says whom its schemas and annotations are from: no stranger's are trusted because a line was forgotten. */
export type SourceTrust = ToolTrust & Required<Pick<ToolTrust, "trusted" | "trustsAnnotations">>;

/** What one read found. */
export interface SourceReading {
  readonly tools: readonly Tool[];
  /** Tools that cannot be offered to the registry. */
  readonly skipped: readonly Skipped[];
  /** What should be fixed in its tools, though they run. */
  readonly warnings: readonly ToolWarning[];
  /** A part could not be read for now: the source is read again soon. @default false */
  readonly isIncomplete?: boolean;
  /** Adds to the reasons of the registry where in the source each tool is. @default the reasons as they are */
  explain?(skipped: readonly Skipped[], find: (name: string) => RegisteredTool | undefined): readonly Skipped[];
}

/** Hears from a source between its reads. */
export interface SourceListener {
  /** The tools may have changed: a read follows soon, one for many notices. */
  changed(): void;
  /**
   * The source cannot serve calls until a read succeeds. Its tools stay listed, their calls get `unavailable` before they
   * reach the source, and it is read with back-off.
   */
  dropped(reason: string): void;
}

/** Why a source cannot be read, in words for operators: `/status` and the log contain them. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** How a source is now. */
export interface SourceStatus {
  readonly name: string;
  readonly kind: string;
  /** `connecting`: not read yet, or dropped. `failed`: the last read failed; the tools of the one before stay. */
  readonly state: "ready" | "connecting" | "failed";
  /** Why it is not ready. Absent until the first read has ended. */
  readonly reason?: string | undefined;
  /** Whether a read of it has succeeded. */
  readonly isRead: boolean;
  /** How many tools it has in the registry that can run. */
  readonly tools: number;
  /** Its tools that are not in the registry. */
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly ToolWarning[];
}

/** What `/status` and reports show as skipped: a source that is not ready is one more entry, by its own name. */
export function skippedOf({ name, reason, skipped }: SourceStatus): readonly Skipped[] {
  return reason === undefined ? skipped : [{ name, reason }, ...skipped];
}

/** What is watched, by absolute path. Each has its mark from when it was read, or undefined for as it is now. */
export interface WatchedFiles {
  /** Files, there or not. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Folders whose names matter, there or not; the content of their files does not. */
  readonly folders: ReadonlyMap<string, string | undefined>;
}
