import { expect } from "vitest";
import type { ErrorBody } from "../../../src/errors/errors.ts";
import type { App } from "../../../src/http/app.ts";
import { post } from "../app-in-memory.ts";

/** One call of `/calls` and what became of it. */
export interface Result {
  readonly id: string | number;
  readonly name: string | null;
  readonly status: "ok" | "error";
  readonly callId?: string;
  readonly result?: unknown;
  readonly error?: ErrorBody;
}

/** Posts calls, as a list or as the text of a body, and reads what became of each. */
export async function resultsOf(app: App, calls: unknown, query = ""): Promise<readonly Result[]> {
  const text = typeof calls === "string" ? calls : JSON.stringify({ calls });
  const { status, body } = await post(app, `/calls${query}`, text);
  expect(status, text.slice(0, 200)).toBe(200);
  return (body as unknown as { results: Result[] }).results;
}

/** `ok` or the error code of each. */
export const codes = (results: readonly Result[]): string[] => results.map(({ error }) => error?.code ?? "ok");
