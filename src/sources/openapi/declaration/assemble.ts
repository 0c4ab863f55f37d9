import type { Definition } from "./definitions.ts";

/** A schema as JSON text with the definitions that it reaches, directly or over others, as its `$defs`. */
export function assembleSchema(
  text: string,
  reaches: readonly string[],
  definitions: Readonly<Record<string, Definition>>,
): string {
  const names = new Set(reaches);
  // The set grows during the loop.
  for (const name of names) for (const inner of definitions[name]?.reaches ?? []) names.add(inner);
  const members = [...names].map((name) => `${JSON.stringify(name)}:${definitions[name]?.text ?? "{}"}`);
  if (members.length === 0) return text;
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"$defs":{${members.join(",")}}}`;
}
