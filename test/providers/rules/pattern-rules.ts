import { RE2JS } from "re2js";
import { isObject } from "./breach.ts";
import { hasLookAround, whyNotPython, withoutLiterals } from "./python-patterns.ts";
import { schemaNodes, type SchemaNode } from "./schema-nodes.ts";
import type { SchemaRule } from "./schema-rules.ts";

/** Every `pattern` and key of `patternProperties` in a schema. */
function patternsOf(schema: SchemaNode["schema"]): string[] {
  const { pattern, patternProperties } = schema;
  return [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
}

function firstBroken(
  schema: SchemaNode["schema"],
  why: (pattern: string) => string | undefined,
): { pattern: string; reason: string } | undefined {
  for (const pattern of patternsOf(schema)) {
    const reason = why(pattern);
    if (reason !== undefined) return { pattern, reason };
  }
  return undefined;
}

/** OpenAI compiles each with Python's `re`, whether or not a tool is strict. Source: vercel/ai#21037, BerriAI/litellm#40485. */
export const pythonPatterns: SchemaRule = {
  rule: "pattern",
  broken: (node) => {
    if (node.steps.length === 0) whyNotPython(schemaNodes(node.root).flatMap(({ schema }) => patternsOf(schema)));
    const found = firstBroken(node.schema, (pattern) => whyNotPython([pattern])[0]);
    return found && `'${found.pattern}' is not a 'regex': ${found.reason}.`;
  },
};

/** Source: docs.anthropic.com, structured outputs, "Pattern support"; Dokploy/mcp#45. */
export const anthropicPatterns: SchemaRule = {
  rule: "pattern",
  broken: ({ schema }) => {
    const found = firstBroken(schema, whyNotAnthropic);
    return found && `Invalid regex in pattern field: ${found.reason}`;
  },
};

function whyNotAnthropic(pattern: string): string | undefined {
  if (hasLookAround(pattern)) return "lookahead and lookbehind assertions are not supported";
  const escapes = pattern.match(/\\[^]/g) ?? [];
  if (escapes.some((escape) => /[1-9k]/.test(escape))) return "backreferences are not supported";
  if (escapes.some((escape) => /[bB]/.test(escape))) return "word boundaries are not supported";
  const counts = [...withoutLiterals(pattern).matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  if (counts.some(([, least, most]) => Number(most || least) > 1000)) return "quantifier range is too large";
  return undefined;
}

/** Why RE2 has no such pattern. */
export function whyNotRe2(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
