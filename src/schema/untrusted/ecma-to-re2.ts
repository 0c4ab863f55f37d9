import { toRegExp } from "../pattern.ts";

/** A pattern that RE2's syntax cannot express. The message continues "the pattern …". */
export class UnsupportedPattern extends Error {
  override readonly name = "UnsupportedPattern";
}

// The meaning of these in ECMA-262. RE2's \s matches fewer characters, and its dot excludes fewer.
const spaces = String.raw`\t\n\x{b}\f\r\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const nonSpaces = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const anyCharacter = String.raw`\x{0}-\x{10ffff}`;
const dot = String.raw`[^\n\r\x{2028}\x{2029}]`;

const categories: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Titlecase_Letter: "Lt",
  Modifier_Letter: "Lm",
  Other_Letter: "Lo",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  Letter_Number: "Nl",
  Other_Number: "No",
  Punctuation: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Other: "C",
  Control: "Cc",
};

/**
 * Converts an ECMA-262 pattern to RE2's syntax, with the same matches. The pattern is valid ECMA-262 with the `u` flag
 * or without; `\p{…}` and `\u{…}` have a meaning only with it. Groups lose their captures and names, which are not
 * used. @throws UnsupportedPattern for look-around, back-references, `Script_Extensions`, and an invalid pattern
 */
export function translatePattern(pattern: string): string {
  const isUnicode = hasUnicodeFlag(pattern);
  let at = 0;
  let output = "";
  while (at < pattern.length) output += translateNext();
  return output;

  function translateNext(): string {
    const character = readCharacter();
    switch (character) {
      case "\\":
        return translateEscape(false);
      case "[":
        return translateClass();
      case "(":
        return translateGroup();
      case ".":
        return dot;
      case "{":
        return readQuantifier() ?? literal(character);
      case "^":
      case "$":
      case "|":
      case ")":
      case "*":
      case "+":
      case "?":
        return character;
      default:
        return literal(character);
    }
  }

  /** `{2}`, `{2,}` and `{2,5}`; without the `u` flag any other brace is itself. */
  function readQuantifier(): string | undefined {
    const quantifier = /\{\d+(?:,\d*)?\}/y;
    quantifier.lastIndex = at - 1;
    const found = quantifier.exec(pattern)?.[0];
    if (found !== undefined) at += found.length - 1;
    return found;
  }

  function translateGroup(): string {
    if (pattern[at] !== "?") return "(?:";
    if (pattern[at + 1] === ":") {
      at += 2;
      return "(?:";
    }
    const name = /\?<[^=!>][^>]*>/y;
    name.lastIndex = at;
    const named = name.exec(pattern)?.[0];
    if (named === undefined) throw new UnsupportedPattern("has look-ahead or look-behind, which is not supported");
    at += named.length;
    return "(?:";
  }

  function translateClass(): string {
    const negated = pattern[at] === "^";
    if (negated) at++;
    let members = "";
    while (at < pattern.length && pattern[at] !== "]") members += translateMember();
    at++;
    if (members === "") return negated ? `[${anyCharacter}]` : `[^${anyCharacter}]`;
    return `[${negated ? "^" : ""}${members}]`;
  }

  function translateMember(): string {
    const first = readMember();
    if (pattern[at] !== "-" || pattern[at + 1] === "]" || at + 1 >= pattern.length) return first.text;
    at++;
    const last = readMember();
    // `[\w-.]` is not a range but, without the `u` flag, three members.
    if (first.isSet || last.isSet) return `${first.text}${literal("-")}${last.text}`;
    return `${first.text}-${last.text}`;
  }

  function readMember(): { text: string; isSet: boolean } {
    const character = readCharacter();
    if (character !== "\\") return { text: literal(character), isSet: false };
    const isSet = (isUnicode ? /[dDwWsSpP]/ : /[dDwWsS]/).test(pattern[at] ?? "");
    return { text: translateEscape(true), isSet };
  }

  function translateEscape(inClass: boolean): string {
    const letter = readCharacter();
    switch (letter) {
      case "d":
      case "D":
      case "w":
      case "W":
      case "t":
      case "n":
      case "r":
      case "f":
        return `\\${letter}`;
      case "v":
        return codePoint(0xb);
      case "s":
        return inClass ? spaces : `[${spaces}]`;
      case "S":
        return inClass ? nonSpaces : `[${nonSpaces}]`;
      case "b":
        return inClass ? codePoint(8) : "\\b";
      case "B":
        return inClass ? literal("B") : "\\B";
      case "p":
      case "P":
        return isUnicode ? translateProperty(letter, inClass) : literal(letter);
      case "x":
        return readCode(/[0-9a-fA-F]{2}/y) ?? literal(letter);
      case "u":
        return readUnicode() ?? literal(letter);
      case "c":
        return readControl(inClass) ?? literal("\\") + literal("c");
      case "k":
        throw new UnsupportedPattern("has a back-reference, which is not supported");
      case "0":
        if (!/\d/.test(pattern[at] ?? "")) return codePoint(0);
    }
    if (!/[0-9]/.test(letter)) return literal(letter);
    throw new UnsupportedPattern("has a back-reference or an octal escape, which is not supported");
  }

  function translateProperty(letter: string, inClass: boolean): string {
    const expression = /\{(?:(?:gc|General_Category|sc|Script|(scx|Script_Extensions))=)?(\w+)\}/y;
    expression.lastIndex = at;
    const found = expression.exec(pattern);
    const [, extensions, name] = found ?? [];
    if (found === null || name === undefined) return literal(letter);
    if (extensions !== undefined) throw new UnsupportedPattern("has Script_Extensions, which is not supported");
    at += found[0].length;
    const negated = letter === "P";
    if (name === "Any") return set(anyCharacter, "", negated, inClass);
    if (name === "ASCII") return set(String.raw`\x{0}-\x{7f}`, String.raw`\x{80}-\x{10ffff}`, negated, inClass);
    return `\\${letter}{${categories[name] ?? name}}`;
  }

  function readUnicode(): string | undefined {
    const braced = isUnicode ? readCode(/\{([0-9a-fA-F]+)\}/y) : undefined;
    if (braced !== undefined) return braced;
    const pair = /(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/iy;
    pair.lastIndex = at;
    const [text, high = "", low = ""] = pair.exec(pattern) ?? [];
    if (text === undefined) return readCode(/[0-9a-fA-F]{4}/y);
    at += text.length;
    return codePoint((parseInt(high, 16) - 0xd800) * 0x400 + (parseInt(low, 16) - 0xdc00) + 0x10000);
  }

  function readCode(digits: RegExp): string | undefined {
    digits.lastIndex = at;
    const found = digits.exec(pattern);
    if (found === null) return undefined;
    at += found[0].length;
    return codePoint(parseInt(found[1] ?? found[0], 16));
  }

  function readControl(inClass: boolean): string | undefined {
    if (!(inClass ? /\w/ : /[a-zA-Z]/).test(pattern[at] ?? "")) return undefined;
    return codePoint(pattern.charCodeAt(at++) % 32);
  }

  function readCharacter(): string {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += character.length;
    return character;
  }
}

function hasUnicodeFlag(pattern: string): boolean {
  try {
    return toRegExp(pattern).unicode;
  } catch (error) {
    throw new UnsupportedPattern("is not a regular expression", { cause: error });
  }
}

function set(members: string, others: string, negated: boolean, inClass: boolean): string {
  const chosen = negated ? others : members;
  if (!inClass) return chosen === "" ? `[^${anyCharacter}]` : `[${chosen}]`;
  return chosen;
}

/**
 * Letters and digits unchanged, all other characters as numbers: RE2 gives some characters a meaning that they do not
 * have in ECMA-262.
 */
function literal(character: string): string {
  return /^[a-zA-Z0-9]$/.test(character) ? character : codePoint(character.codePointAt(0) ?? 0);
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
