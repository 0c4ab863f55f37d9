import { type CST, Lexer, type LineCounter, Parser } from "yaml";

/** Maximum nesting of lists and objects. A configuration needs six. */
export const maxLevels = 64;
/** Levels of the parser around the values: the document, and the text at the bottom. */
const otherLevels = 2;
/**
 * Maximum number of punctuation marks and words, enough for about 2000 overrides or 600 keys; more would delay the
 * calls of a service that reloads its file.
 */
const maxLexemes = 30_000;

/** Why a text is refused. */
export interface YamlRefusal {
  readonly line: number;
  readonly text: string;
}

/**
 * Reads a text into tokens, nested as deep as the text. The code that makes values of them is recursive, and if the stack is
 * used up V8 may end the process without an error that `catch` could take: so the levels are counted here, in a loop.
 * @param lines receives the starts of the lines
 */
export function readTokens(text: string, lines: LineCounter, maximum = maxLexemes): readonly CST.Token[] | YamlRefusal {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemesLeft = maximum;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    const line = lines.lineStarts.length;
    if (parser.stack.length > maxLevels + otherLevels) return { line, text: "is nested too deeply" };
    if (lexemesLeft-- === 0) return { line, text: "is over a limit: the file contains too many values" };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}
