/** How far a call is, as MCP reports it: in any unit, growing. */
export interface Progress {
  readonly progress: number;
  /** What `progress` will be at the end. Absent if it is not known. */
  readonly total?: number;
  readonly message?: string;
}

/** Keeps the fields of a report that have the right type. @returns undefined if `progress` is not a number */
export function readProgress({
  progress,
  total,
  message,
}: Partial<Record<keyof Progress, unknown>>): Progress | undefined {
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}
