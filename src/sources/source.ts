import type { ToolWarning } from "../core/observer.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";

/** What `GET /status` tells of one place that tools come from. */
export interface SourceStatus {
  readonly name: string;
  readonly kind: string;
  readonly state: "ready" | "connecting" | "failed";
  /** How many tools it has in the registry. */
  readonly tools: number;
  readonly skipped: readonly Skipped[];
  /** What should be fixed in its tools, though it keeps none of them from running. */
  readonly warnings: readonly ToolWarning[];
}
