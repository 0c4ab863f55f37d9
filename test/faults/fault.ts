import { it } from "vitest";

/** A test that answers for a row of `rows.ts`. The reporter counts rows by the start of a test's name. */
export function fault(row: string, title: string, run: () => Promise<void> | void, timeoutMs?: number): void {
  it(`${row} ${title}`, run, timeoutMs);
}

/** The same, beside the other such tests of its file: for rows that wait longer than they work. */
export function waitingFault(row: string, title: string, run: () => Promise<void>, timeoutMs: number): void {
  it.concurrent(`${row} ${title}`, run, timeoutMs);
}
