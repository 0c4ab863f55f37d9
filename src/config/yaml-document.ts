import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type ParsedNode } from "yaml";
import type { Path } from "./shape.ts";

/** A YAML 1.2 document of which every value's line is known. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line of a value, of its key where it has one, or of the nearest thing around it that is written. */
  lineOf(path: Path): number;
}

/** One thing that is wrong with the text. Never holds a piece of it: there may be secrets in it. */
export interface YamlProblem {
  readonly line: number;
  readonly text: string;
}

/** A file that uses one anchor more often is made to blow up. */
const maxAliasCount = 100;

/**
 * Parses strictly: one document of YAML 1.2, keys that are texts and never repeated, no tag but the usual ones, no merge
 * keys, few aliases.
 * @returns the document, or everything that is wrong with it
 */
export function parseYaml(text: string): YamlDocument | readonly YamlProblem[] {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return [{ line: 1, text: "is nested too deeply" }];
    // What `toJS` throws where an alias leads nowhere or is used too often.
    if (error instanceof ReferenceError) return [{ line: 1, text: "uses aliases that lead nowhere, or too many" }];
    throw error;
  }
}

function parse(text: string): YamlDocument | readonly YamlProblem[] {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(lines.linePos(offset).line, 1);
  const parsed = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    strict: true,
    stringKeys: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, second] = documents;
  if (document === undefined) return { value: null, lineOf: () => 1 };
  const problems = documents.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ code, pos }) => ({ line: lineAt(pos[0]), text: explain(code) })),
  );
  if (second?.range !== undefined) {
    problems.push({ line: lineAt(second.range[0]), text: "holds a second document; there may be one" });
  }
  if (document.directives?.yaml.version !== "1.2") problems.push({ line: 1, text: "must be YAML 1.2" });
  if (problems.length > 0) return withoutRepetitions(problems);

  const value: unknown = document.toJS({ maxAliasCount });
  return {
    value,
    lineOf(path) {
      let node: Node | null | undefined = document.contents as ParsedNode | null;
      let offset = node?.range?.[0] ?? 0;
      for (const token of path) {
        if (isAlias(node)) node = node.resolve(document);
        let start: Node | null | undefined;
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === token);
          start = pair?.key as Node | undefined;
          node = pair?.value as Node | undefined;
        } else if (isSeq(node) && typeof token === "number") {
          start = node = node.items[token] as Node | undefined;
        }
        if (!start?.range) break;
        offset = start.range[0];
      }
      return lineAt(offset);
    },
  };
}

/** One mistake can upset the parser many times. */
function withoutRepetitions(problems: readonly YamlProblem[]): YamlProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.line} ${problem.text}`, problem])).values()];
}

/** The parser's own words may repeat what stands in the file. */
function explain(code: string): string {
  return meanings[code] ?? "is not valid YAML here";
}

const meanings: Readonly<Record<string, string>> = {
  BAD_ALIAS: "has an anchor or alias that is not valid",
  BAD_DQ_ESCAPE: 'has an escape in "…" that YAML does not know',
  BAD_INDENT: "is indented wrongly, or has a bracket that is not closed",
  BAD_SCALAR_START: "has a value that must stand in quotes because of its first character",
  BLOCK_AS_IMPLICIT_KEY: "has two keys in one line, or a value with a colon that must stand in quotes",
  DUPLICATE_KEY: "has a key that stands there twice",
  MISSING_CHAR: "lacks a character: a colon, comma, quote or bracket",
  MULTILINE_IMPLICIT_KEY: "has a key over several lines, or lacks a colon",
  NON_STRING_KEY: "has a key that is no text",
  RESOURCE_EXHAUSTION: "is nested too deeply",
  TAB_AS_INDENT: "is indented with a tab, where YAML takes spaces",
  TAG_RESOLVE_FAILED: "has a tag (!…) or a value that does not fit its tag",
};
