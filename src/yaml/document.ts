import { Composer, type CST, type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter } from "yaml";
import { indexNodes } from "./nodes.ts";
import { readTokens } from "./tokens.ts";

/** The way to a value: keys, and indexes of lists. */
export type Path = readonly (string | number)[];

/** A YAML 1.2 document with the line of every value. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line of a value, of its key if it has one, or of the nearest enclosing value that the text contains. */
  lineOf(path: Path): number;
  /** Whether a value is the word `null`: an empty place is null too, for example at the end of a truncated text. */
  isNullWord(path: Path): boolean;
}

/** The limits of a text. */
export interface YamlBounds {
  /** Maximum number of punctuation marks and words. @default 30000 */
  readonly maxLexemes?: number;
  /** Maximum number of aliases; a text with more is made to grow without bound. @default 100 */
  readonly maxAliases?: number;
  /** How many values the aliases may repeat. @default 10000 */
  readonly maxRepeatedNodes?: number;
}

/** One problem of the text. It never contains a part of the text, which may contain secrets. */
export interface YamlProblem {
  readonly line: number;
  readonly text: string;
}

const options = {
  version: "1.2",
  schema: "core",
  merge: false,
  strict: true,
  stringKeys: true,
  // `indexNodes` finds them much faster.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

/**
 * Parses strictly: one document of YAML 1.2, only unique string keys, only the usual tags, no merge keys, few aliases,
 * few levels.
 * @returns the document, or all of its problems
 */
export function parseYaml(text: string, bounds: YamlBounds = {}): YamlDocument | readonly YamlProblem[] {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(lines.linePos(offset).line, 1);
  const tokens = readTokens(text, lines, bounds.maxLexemes);
  if ("line" in tokens) return [tokens];
  const documents = composeDocuments(tokens);
  const [document, second] = documents;
  if (document === undefined) return { value: null, lineOf: () => 1, isNullWord: () => false };
  const problems = documents.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ code, pos }) => ({ line: lineAt(pos[0]), text: explain(code) })),
  );
  if (second?.range !== undefined) {
    problems.push({ line: lineAt(second.range[0]), text: "begins a second document; only one is allowed" });
  }
  if (document.directives?.yaml.version !== "1.2") problems.push({ line: 1, text: "must be YAML 1.2" });
  const { pairs, targets } = indexNodes(document.contents, bounds, (offset, problem) =>
    problems.push({ line: lineAt(offset), text: problem }),
  );
  if (problems.length > 0) return withoutRepetitions(problems);

  // `indexNodes` has limited them.
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  return {
    value,
    lineOf: (path) => lineAt(find(path).offset),
    isNullWord(path) {
      const { node } = find(path);
      return isScalar(node) && node.value === null && /^null$/i.test(node.source ?? "");
    },
  };

  /** The node at a path, and its offset or that of the nearest written parent. */
  function find(path: Path): { node: unknown; offset: number } {
    let node: unknown = document?.contents;
    let offset = document?.contents?.range?.[0] ?? 0;
    for (const token of path) {
      if (isAlias(node)) node = targets.get(node);
      let start: unknown;
      if (isMap(node)) {
        const pair = pairs.get(node)?.get(String(token));
        start = pair?.key;
        node = pair?.value;
      } else if (isSeq(node) && typeof token === "number") {
        start = node = node.items[token];
      }
      if (!isNode(start) || !start.range) return { node: undefined, offset };
      offset = start.range[0];
    }
    return { node, offset };
  }
}

/**
 * The parser makes an error of each thing that is wrong. Their stack traces would take most of the time, and nobody
 * reads them.
 */
function composeDocuments(tokens: readonly CST.Token[]): Document.Parsed[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return [...new Composer(options).compose(tokens)];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** One mistake can cause many errors of the parser. */
function withoutRepetitions(problems: readonly YamlProblem[]): YamlProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.line} ${problem.text}`, problem])).values()];
}

/** The parser's own messages may repeat text of the file. */
function explain(code: string): string {
  return meanings[code] ?? "is not valid YAML here";
}

const meanings: Readonly<Record<string, string>> = {
  BAD_ALIAS: "has an anchor or alias that is not valid",
  BAD_DQ_ESCAPE: 'has an escape in "…" that YAML does not have',
  BAD_INDENT: "is indented wrongly, or has a bracket that is not closed",
  BAD_SCALAR_START: "has a value that must be in quotes because of its first character",
  BLOCK_AS_IMPLICIT_KEY: "has two keys in one line, or a value with a colon that must be in quotes",
  MISSING_CHAR: "is missing a character: a colon, comma, quote or bracket",
  MULTILINE_IMPLICIT_KEY: "has a key over several lines, or a missing colon",
  NON_STRING_KEY: "has a key that is not text",
  TAB_AS_INDENT: "is indented with a tab; YAML needs spaces",
  TAG_RESOLVE_FAILED: "contains a tag (!…) that is not supported, or a value that does not match its tag",
};
