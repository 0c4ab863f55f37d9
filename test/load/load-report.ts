/** One line of a report: what was asked, what was measured, and whether it holds. */
export interface LoadRow {
  readonly check: string;
  readonly limit: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** What lies below the given part of the values, 0 to 1. Of none it is 0. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

export function mebibytes(value: number): string {
  return `${(value / 1_048_576).toFixed(1)} MiB`;
}

/** The rows as a table for a terminal. */
export function formatRows(rows: readonly LoadRow[]): string {
  const lines = [
    ["", "check", "limit", "measured"],
    ...rows.map(({ check, limit, measured, holds }) => [holds ? "ok" : "NO", check, limit, measured]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
