import { toRegExp } from "../../../schema/pattern.ts";

/**
 * What a provider compiles patterns with.
 * - `python`: OpenAI, with Python's `re`; its newer models refuse look-around. Source: the errors that its API answers,
 *   vercel/ai#21037 and BerriAI/litellm#40485
 * - `anthropic`: source: docs.anthropic.com, structured outputs, "Pattern support"
 * - `re2`: source: github.com/google/re2/wiki/Syntax
 */
export type PatternEngine = "python" | "anthropic" | "re2";

interface EngineRules {
  readonly boundaries?: RegExp;
  /** How often one place may be repeated, with the repetitions around it. */
  readonly mostRepeats: number;
  readonly writeUnicode: (digits: string) => string;
}

const engines: Readonly<Record<PatternEngine, EngineRules>> = {
  // Its `\\B` misses the empty text.
  python: { boundaries: /\\b/y, mostRepeats: 65_535, writeUnicode: (digits) => `\\u${digits}` },
  anthropic: { mostRepeats: 1000, writeUnicode: (digits) => `\\u${digits}` },
  re2: { boundaries: /\\[bB]/y, mostRepeats: 1000, writeUnicode: (digits) => `\\x{${digits}}` },
};

const maxDepth = 50;

/** Look-around, look-behind and flags begin with `(?` too, and have no place here. */
const group = /\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/y;
const quantifier = /\{(\d+)(?:,(\d*))?\}\??/y;
const simpleQuantifier = /[*+?]\??/y;
/** Escapes that every engine reads as ECMA-262 does, or as something wider: `\d` of Python takes any script's digits. */
const plainEscape = /\\(?:[dDwWsStnrfv]|x[0-9a-fA-F]{2}|[!-/:;=?@[-^`{-~])/y;
const unicodeEscape = /\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})/y;
/** What only some engines take behind a backslash, and what means itself without it. */
const idleEscape = /\\([ _<>])/y;
const member = /[^\\\]]/uy;
const other = /[^\\]/uy;
/** Set operations of some engines, and of Python in time to come. */
const setOperation = /--|&&|\|\||~~/;

/**
 * Writes an ECMA-262 pattern so that an engine surely compiles it, and finds in it whatever ECMA-262 does, but for
 * rare spaces, and digits and letters beyond ASCII. As it stands if that will do.
 * @returns undefined where the engine has no such pattern, or none that is known
 */
export function writePattern(pattern: string, engine: PatternEngine): string | undefined {
  const rules = engines[engine];
  // Half a character may be meant where the `u` flag is not.
  if (!isLegal(pattern) || /\p{Surrogate}/u.test(pattern)) return undefined;
  let at = 0;
  /** How often the last piece may come, and the pieces of each group that is open. */
  let repeats = 1;
  const open: number[] = [1];
  let written = "";
  while (at < pattern.length) {
    const next = writeNext();
    if (next === undefined || open.length > maxDepth) return undefined;
    written += next;
  }
  return written;

  function writeNext(): string | undefined {
    const opening = take(group);
    if (opening !== undefined) return openGroup(opening);
    const character = pattern[at];
    if (character === ")") return closeGroup();
    if (character === "[") return endPiece(writeClass());
    const found = takeMatch(quantifier);
    if (found !== undefined) return repeat(found);
    const anyNumber = take(simpleQuantifier);
    if (anyNumber !== undefined) return anyNumber;
    // Without the `u` flag they mean themselves where they mean nothing else.
    if (character === "{" || character === "}" || character === "]") return endPiece(`\\${take(other)}`);
    if (character === "\\") return endPiece(writeEscape() ?? (rules.boundaries && take(rules.boundaries)));
    return character === "(" ? undefined : endPiece(take(other));
  }

  /** No pattern that refers to a group is written, so names are not missed. */
  function openGroup(opening: string): string {
    open.push(1);
    return opening === "(" ? "(" : "(?:";
  }

  function closeGroup(): string {
    at++;
    repeats = open.pop() ?? 1;
    open.push(Math.max(open.pop() ?? 1, repeats));
    return ")";
  }

  function endPiece(text: string | undefined): string | undefined {
    repeats = 1;
    return text;
  }

  function repeat([text, least, most]: RegExpExecArray): string | undefined {
    repeats *= Math.max(1, Number(most || least));
    open.push(Math.max(open.pop() ?? 1, repeats));
    return repeats > rules.mostRepeats ? undefined : text;
  }

  function writeEscape(): string | undefined {
    const code = takeMatch(unicodeEscape)?.[1];
    if (code !== undefined) return rules.writeUnicode(code);
    return take(plainEscape) ?? takeMatch(idleEscape)?.[1];
  }

  function writeClass(): string | undefined {
    const start = at;
    at++;
    const begin = pattern[at] === "^" ? "[^" : "[";
    if (begin === "[^") at++;
    let members = "";
    while (at < pattern.length && pattern[at] !== "]") {
      const next = writeRange();
      if (next === undefined) return undefined;
      members += next;
    }
    at++;
    const isOperation = setOperation.test(pattern.slice(start, at).replaceAll(/\\./gu, "e"));
    return members === "" || isOperation ? undefined : `${begin}${members}]`;
  }

  function writeRange(): string | undefined {
    const first = writeMember();
    if (first === undefined || pattern[at] !== "-" || pattern[at + 1] === "]") return first;
    at++;
    const last = writeMember();
    // `[\w-.]` is no range but, without the `u` flag, three members.
    const isRange = !isSet(first) && !isSet(last ?? "");
    return last === undefined ? undefined : `${first}${isRange ? "-" : "\\-"}${last}`;
  }

  function writeMember(): string | undefined {
    if (pattern[at] === "\\") return writeEscape();
    const character = take(member);
    // A hyphen that is a member of its own would make a range of what is written around it.
    return character === "[" || character === "-" ? `\\${character}` : character;
  }

  function take(token: RegExp): string | undefined {
    return takeMatch(token)?.[0];
  }

  function takeMatch(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = at;
    const found = token.exec(pattern);
    if (found === null) return undefined;
    at += found[0].length;
    return found;
  }
}

function isSet(member: string): boolean {
  return /^\\[dDwWsS]$/.test(member);
}

function isLegal(pattern: string): boolean {
  try {
    return toRegExp(pattern).unicode || !/[\u{10000}-\u{10ffff}]/u.test(pattern);
  } catch {
    return false;
  }
}
