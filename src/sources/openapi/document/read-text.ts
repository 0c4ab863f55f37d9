import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { parseYaml, type Path } from "../../../yaml/document.ts";
import { createLineOf } from "./json-line.ts";
import { followMergeKeys } from "./merge-keys.ts";

/** A document as its text has it, with the line of each value on demand. */
export interface OpenApiText {
  readonly root: JsonObject;
  lineOf(path: Path): number;
}

/**
 * The limits of a document. GitHub's has 13 MB as JSON and 1,223 operations; a YAML text of 300 kB has 50,000 lexemes.
 * The readers of schemas are recursive: with more levels they would use up the stack.
 */
export const documentBounds = {
  characters: 50_000_000,
  yaml: { maxLexemes: 1_000_000, maxAliases: 5000, maxRepeatedNodes: 500_000 },
  levels: 1000,
  operations: 20_000,
} as const;

/** Why a document is refused whole, in words for operators. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
}

/**
 * Reads JSON or YAML, whatever the file is called.
 * @throws DocumentRefused
 */
export function readText(source: string): OpenApiText {
  if (source.length > documentBounds.characters) throw new DocumentRefused("the document is too large");
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (text.trim() === "") throw new DocumentRefused("the document is empty");
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) {
    throw new DocumentRefused("the document is a page of HTML or XML, not OpenAPI in JSON or YAML");
  }
  if (text.includes("\0")) throw new DocumentRefused("the document is not a text");
  return /^\s*\{/.test(text) ? (readJson(text) ?? readYaml(text)) : readYaml(text);
}

function readJson(text: string): OpenApiText | undefined {
  try {
    const root: unknown = JSON.parse(text);
    checkDepth(root);
    return { root: asObject(root), lineOf: createLineOf(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Level by level: a recursive check would itself use up the stack. */
function checkDepth(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > documentBounds.levels) throw new DocumentRefused("the document is nested too deeply");
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const member of Object.values(value)) if (typeof member === "object" && member !== null) next.push(member);
    }
    level = next;
  }
}

function readYaml(text: string): OpenApiText {
  let document = parseYaml(text, documentBounds.yaml);
  if (!("value" in document)) {
    const indented = indentQuotedLines(text);
    const second = indented === text ? document : parseYaml(indented, documentBounds.yaml);
    if ("value" in second) document = second;
  }
  if ("value" in document) {
    const root = text.includes("<<") ? followMergeKeys(document.value) : document.value;
    return { root: asObject(root), lineOf: document.lineOf };
  }
  const [problem] = document;
  throw new DocumentRefused(
    problem === undefined ? "the document is not valid YAML" : `line ${problem.line} ${problem.text}`,
  );
}

/**
 * Indents the lines of a quoted text that continue at or before the column of its key. YAML 1.2 refuses them, and the
 * parsers of Go and Python accept them, so documents contain them.
 */
function indentQuotedLines(text: string): string {
  let indent: string | undefined;
  const lines = text.split("\n").map((line) => {
    if (indent !== undefined) {
      const continued = line.trim() === "" || line.startsWith(`${indent} `) ? line : `${indent}  ${line.trimStart()}`;
      if (/^(?:[^"\\]|\\.)*"/.test(line)) indent = undefined;
      return continued;
    }
    const [, before] = /^( *)(?:- +)*[\w$.-]+: +"(?:[^"\\]|\\.)*$/.exec(line) ?? [];
    if (before !== undefined) indent = before;
    return line;
  });
  return lines.join("\n");
}

function asObject(root: unknown): JsonObject {
  if (isJsonObject(root)) return root;
  throw new DocumentRefused("the document is not an object");
}
