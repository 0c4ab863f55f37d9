import { readdirSync, readFileSync } from "node:fs";

export type RecordedDialect = "openai" | "openai-responses" | "anthropic" | "gemini" | "ollama";

/** A whole answer of a provider, as text: `name` is its file's. */
export function recordedText(dialect: RecordedDialect, name: string): string {
  return readFileSync(new URL(`${dialect}/${name}.json`, import.meta.url), "utf8");
}

export function recordedTurn(dialect: RecordedDialect, name: string): Record<string, unknown> {
  return JSON.parse(recordedText(dialect, name)) as Record<string, unknown>;
}

/** The names of all turns that a provider has. */
export function recordedNames(dialect: RecordedDialect): string[] {
  return readdirSync(new URL(`${dialect}/`, import.meta.url)).map((file) => file.replace(/\.json$/, ""));
}
