/** The number of nested encodings that are decoded. */
const maxRounds = 2;
const maxTexts = 200;

/** The decoded forms of a text, if a part of it is encoded. */
export interface DecodedTexts {
  /** The text with percent-encoding, escapes and character references undone. */
  readonly plain: readonly string[];
  /** Its words, decoded from base64 or hexadecimal digits; most of the result is noise. */
  readonly words: readonly string[];
}

export function decodedTexts(text: string): DecodedTexts {
  const plain = new Set<string>();
  const words = new Set<string>();
  let latest = [text];
  for (let round = 0; round < maxRounds; round++) {
    const undone = latest.map(unescaped);
    for (const each of undone) (round === 0 ? plain : words).add(each);
    const found = [...latest, ...undone].flatMap(wordsOf).slice(0, maxTexts);
    for (const each of found) words.add(each);
    latest = [...undone, ...found];
  }
  for (const each of latest.slice(0, maxTexts)) words.add(unescaped(each));
  return { plain: [...plain], words: [...words] };
}

/** How a short value is written as a word of base64 or of hexadecimal digits. */
export function encodedWords(value: string, number: number): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const isInteger = Number.isSafeInteger(number);
  const digits = isInteger ? Math.abs(number).toString(16) : "";
  return [
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    ...(value.length > 1 ? [bytes.toString("hex")] : []),
    ...(isInteger ? [`0x${digits}`] : []),
    // With digits only, it could be any number.
    ...(/[a-f]/.test(digits) && digits.length > 1 ? [digits] : []),
  ];
}

/** `%41`, `\u0041`, `\x41`, `&#65;`, `&#x41;`, and a plus sign for a space. */
function unescaped(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/(?:%[0-9a-f]{2})+/gi, (found) => Buffer.from(found.replaceAll("%", ""), "hex").toString("utf8"))
    .replace(/\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});/gi, (found, ...digits) =>
      characterOf(Number.parseInt(digits.slice(0, 3).find((each) => each !== undefined) as string, 16), found),
    )
    .replace(/&#(\d{1,7});/g, (found, digits: string) => characterOf(Number(digits), found))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_found, name: string) => references[name]!);
}

const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The decoded words of base64 and of hexadecimal digits, at every possible start in an encoded text. */
function wordsOf(text: string): string[] {
  const base64 = (text.match(/[\w+/-]{4,}/g) ?? []).flatMap((word) =>
    [0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), "base64")),
  );
  const hex = (text.match(/(?:(?:\\x|0x)?[0-9a-f]{2}[ :,-]?){2,}/gi) ?? []).flatMap((word) => {
    const digits = word.replaceAll(/0x|[^0-9a-f]/gi, "");
    return [0, 1].map((start) => Buffer.from(digits.slice(start), "hex"));
  });
  return [...base64, ...hex].flatMap((bytes) => [bytes.toString("utf8"), bytes.toString("latin1")]);
}

function characterOf(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}
