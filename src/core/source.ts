import type { ToolWarning } from "./observer.ts";
import type { RegisteredTool, ToolTrust } from "./registry/registered-tool.ts";
import type { Skipped } from "./registry/tool-groups.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * A source of tools: a folder, a document, a server. A source reads and reports changes. `src/sources/sources.ts`
 * decides for all kinds when a source is read, how often it is retried, and which of its tools get their names.
 * `test/conformance/describe-source.ts` has the rules that every source must keep.
 */
export interface Source {
  /** The `source` of its declarations, and its name in `/status`. */
  readonly name: string;
  /** The `kind` in `/status`, such as `folder`. */
  readonly kind: string;
  readonly trust: SourceTrust;
  /** Whether it is read from this machine: the start and a reload wait for it. @default false */
  readonly isLocal?: boolean;
  /** The beginning of the names of all its tools, if it has one that is known before the first read. @default none */
  readonly toolPrefix?: string;
  /**
   * Reads all tools as they are now; connects first if it has to. Ends soon after the signal, and then leaves no timer
   * and no handle. The next read begins when this one has ended or its signal was aborted.
   * @throws SourceError with a reason for operators; for any other error they see only that it failed
   */
  read(signal: AbortSignal): Promise<SourceReading>;
  /** Reports changes until it is closed. Called once, before the first read. @default it never changes by itself */
  watch?(listener: SourceListener): void;
  /** The files of the last read, whether or not it succeeded: a change of one leads to a reload. @default none */
  files?(): WatchedFiles;
  /**
   * Closes it: no notice follows, and running calls finish first. A second call has no effect. @default nothing to
   * close
   */
  close?(): Promise<void>;
}

/** Required, so that foreign schemas and annotations are never trusted because a line was forgotten. */
export type SourceTrust = ToolTrust & Required<Pick<ToolTrust, "trusted" | "trustsAnnotations">>;

/** The result of one read. */
export interface SourceReading {
  readonly tools: readonly Tool[];
  /** Tools that cannot be offered to the registry. */
  readonly skipped: readonly Skipped[];
  /** Problems of its tools that can still run. */
  readonly warnings: readonly ToolWarning[];
  /** Whether a part could not be read: the source is then read again soon. @default false */
  readonly isIncomplete?: boolean;
  /** Adds to the registry's reasons the place of each tool in the source. @default the reasons unchanged */
  explain?(skipped: readonly Skipped[], find: (name: string) => RegisteredTool | undefined): readonly Skipped[];
}

/** Gets the notices of a source between its reads. */
export interface SourceListener {
  /** The tools may have changed: one read follows soon for any number of notices. */
  changed(): void;
  /**
   * The source cannot serve calls until a read succeeds. Its tools stay listed, their calls get `unavailable` before
   * they reach the source, and it is read with back-off.
   */
  dropped(reason: string): void;
}

/** Why a source cannot be read, in words for operators: `/status` and the log contain them. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The state of a source. */
export interface SourceStatus {
  readonly name: string;
  readonly kind: string;
  /**
   * `connecting`: not read yet, or the connection was lost. `failed`: the last read failed; the tools of the previous
   * read stay.
   */
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
  /** The workers that offer its tools. Absent for other kinds. */
  readonly workers?: readonly WorkerStatus[];
}

/** A worker, as `/status` shows it to operators. */
export interface WorkerStatus {
  readonly name: string;
  /** How many tools it offers. */
  readonly tools: number;
  /** When its last request came (RFC 3339). */
  readonly lastSeen: string;
  /** Calls that it runs. */
  readonly inFlight: number;
  /** How many more it can take; null if it did not say. */
  readonly free: number | null;
}

/** The skipped tools in `/status` and reports: a source that is not ready is one more entry, with its own name. */
export function skippedOf({ name, reason, skipped }: SourceStatus): readonly Skipped[] {
  return reason === undefined ? skipped : [{ name, reason }, ...skipped];
}

/** The watched paths, absolute. Each has the mark of the time when it was read; undefined means its state now. */
export interface WatchedFiles {
  /** Files that exist or may appear. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Folders of which only the names are watched, not the content of the files; they may not exist yet. */
  readonly folders: ReadonlyMap<string, string | undefined>;
}
