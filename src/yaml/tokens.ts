import { type CST, Lexer, type LineCounter, Parser } from "yaml";

/** Levels of lists and objects, each within the other. A configuration needs six. */
export const maxLevels = 64;
/** What stands around the levels while they are read: the document, and the text at the bottom. */
const otherLevels = 2;
/** Signs and words. Some 2000 overrides or 600 keys; more would hold up the calls of a service that reads its file again. */
const maxLexemes = 30_000;

/** Why a text is not read. */
export interface YamlRefusal {
  readonly line: number;
  readonly text: string;
}

/**
 * Reads a text into tokens, which hold one another as deep as the text goes. What makes values of them goes down by
 * calling itself, and at the bottom of the stack V8 may end the process where no `catch` helps: so the levels are
 * counted here, where each word is a turn of a loop.
 * @param lines gets the starts of the lines
 */
export function readTokens(text: string, lines: LineCounter): readonly CST.Token[] | YamlRefusal {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemesLeft = maxLexemes;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    const line = lines.lineStarts.length;
    if (parser.stack.length > maxLevels + otherLevels) return { line, text: "is nested too deeply" };
    if (lexemesLeft-- === 0) return { line, text: "is where the file becomes too long: it holds too many values" };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}
