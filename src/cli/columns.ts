/** A longer cell only moves the rest of its own line. */
const widestColumn = 40;

/** Formats rows of cells as lines with aligned columns. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, Math.min(cell.length, widestColumn))),
    [],
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
