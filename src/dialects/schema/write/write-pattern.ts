import { toRegExp } from "../../../schema/pattern.ts";

/**
 * The engine with which a provider compiles patterns.
 * - `python`: OpenAI, with Python's `re`; its newer models refuse look-around. Source: the errors that its API answers,
 * vercel/ai#21037 and BerriAI/litellm#40485
 * - `anthropic`: source: docs.anthropic.com, structured outputs, "Pattern support"
 * - `re2`: source: github.com/google/re2/wiki/Syntax
 */
export type PatternEngine = "python" | "anthropic" | "re2";

interface EngineRules {
  readonly boundaries?: RegExp;
  /** Maximum repetitions of one place, multiplied by the repetitions around it. */
  readonly mostRepeats: number;
  readonly writeUnicode: (digits: string) => string;
}

const engines: Readonly<Record<PatternEngine, EngineRules>> = {
  // Its `\\B` does not match in the empty text.
  python: { boundaries: /\\b/y, mostRepeats: 65_535, writeUnicode: (digits) => `\\u${digits}` },
  anthropic: { mostRepeats: 1000, writeUnicode: (digits) => `\\u${digits}` },
  re2: { boundaries: /\\[bB]/y, mostRepeats: 1000, writeUnicode: (digits) => `\\x{${digits}}` },
};

const maxDepth = 50;

/** Look-around, look-behind and flags also begin with `(?` and must not match. */
const group = /\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/y;
const quantifier = /\{(\d+)(?:,(\d*))?\}\??/y;
const simpleQuantifier = /[*+?]\??/y;
/** Escapes that every engine reads as ECMA-262 does, or wider: Python's `\d` matches digits of every script. */
const plainEscape = /\\(?:[dDwWsStnrfv]|x[0-9a-fA-F]{2}|[!-/:;=?@[-^`{-~])/y;
const unicodeEscape = /\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})/y;
/** Characters that only some engines accept after a backslash, and that mean the same without it. */
const idleEscape = /\\([ _<>])/y;
const member = /[^\\\]]/uy;
const other = /[^\\]/uy;
/** Set operations of some engines, and of future Python versions. */
const setOperation = /--|&&|\|\||~~/;

/**
 * Rewrites an ECMA-262 pattern so that an engine certainly compiles it, and matches all that ECMA-262 matches, except
 * rare spaces, and digits and letters beyond ASCII. Unchanged if possible.
 * @returns undefined if the engine has no such pattern, or none is known
 */
export function writePattern(pattern: string, engine: PatternEngine): string | undefined {
  const rules = engines[engine];
  // Without the `u` flag, it may match half a surrogate pair.
  if (!isLegal(pattern) || /\p{Surrogate}/u.test(pattern)) return undefined;
  let at = 0;
  /** Repetitions of the last piece, and of the pieces of each open group. */
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
    // Without the `u` flag these characters are literal if they have no other meaning.
    if (character === "{" || character === "}" || character === "]") return endPiece(`\\${take(other)}`);
    if (character === "\\") return endPiece(writeEscape() ?? (rules.boundaries && take(rules.boundaries)));
    return character === "(" ? undefined : endPiece(take(other));
  }

  /** Patterns that refer to a group are never written, so its name is not needed. */
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
    // `[\w-.]` is not a range but, without the `u` flag, three members.
    const isRange = !isSet(first) && !isSet(last ?? "");
    return last === undefined ? undefined : `${first}${isRange ? "-" : "\\-"}${last}`;
  }

  function writeMember(): string | undefined {
    if (pattern[at] === "\\") return writeEscape();
    const character = take(member);
    // An unescaped literal hyphen would form a range with its neighbours.
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
