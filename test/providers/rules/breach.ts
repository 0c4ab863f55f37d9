/** One rule of a provider that a request breaks. */
export interface Breach {
  /** The tool's name as it is declared, or `""` where the whole list is at fault. */
  readonly tool: string;
  /** JSON Pointer into the declaration. */
  readonly path: string;
  /** Our short name of the rule. */
  readonly rule: string;
  /** What the provider answers, in its own words where they are known. */
  readonly message: string;
}

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name that a declaration gives itself, for the report. */
export function nameOf(declaration: unknown): string {
  return isObject(declaration) && typeof declaration["name"] === "string" ? declaration["name"] : "";
}

/** Names that stand more than once, each once. */
export function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}
