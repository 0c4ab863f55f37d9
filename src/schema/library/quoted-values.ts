import { decodedTexts, encodedWords } from "./decoded-texts.ts";

/** The number of consecutive characters of a value in a text that counts as a quotation. */
const runLength = 6;
/** Shorter values are searched only if they were refused themselves: other short values occur in any text. */
const shortLength = 4;
/** Shorter words occur by chance in decoded or reversed text. */
const shortestInNoise = 3;
/** Between readings: of no text that was folded. */
const separator = "\n";
/** A value with more text than this is not searched: then everything counts as a quotation. */
const maxSearchedLength = 200_000;
const maxLeaves = 20_000;

/**
 * Finds the texts that may repeat a part of a value, in upper or lower case, with any escapes, encoded or reversed. In
 * doubt the result is yes: losing a text is better than leaking a value.
 * @returns whether a text, one of these, may quote the value; `keys` lead to what the text is about
 */
export function createQuoteFinder(
  texts: readonly string[],
  root: unknown,
): (text: string, keys: readonly string[]) => boolean {
  const leaves: Leaf[] = [];
  const isComplete = collectLeaves(root, [], leaves);
  const length = leaves.reduce((sum, { text }) => sum + text.length, 0);
  if (!isComplete || length > maxSearchedLength) return () => true;
  const readings = new Map(texts.map((text) => [text, readingsOf(text)]));
  const shared = findSharedRuns([...readings.values()].flatMap(allOf), leaves);
  return (text, keys) => {
    if (writesNumber(text, leaves, keys)) return true;
    const known = readings.get(text) ?? readingsOf(text);
    for (const reading of allOf(known)) {
      for (let index = 0; index + runLength <= reading.length; index++) {
        if (shared.has(reading.slice(index, index + runLength))) return true;
      }
    }
    const isWordOf = createWordFinder(known);
    return leaves.some(
      (leaf) =>
        leaf.text.length <= runLength && (leaf.text.length >= shortLength || isAt(keys, leaf.keys)) && isWordOf(leaf),
    );
  };
}

/** The possible readings of a text, folded: several readings of one kind are joined. */
interface Readings {
  readonly forwards: string;
  readonly backwards: string;
  /** Among a lot of noise. */
  readonly decoded: string;
}

function readingsOf(text: string): Readings {
  const { plain, words } = decodedTexts(text);
  const forwards = [text, ...plain].map(fold).join(separator);
  const decoded = words.map(fold).join(separator);
  return { forwards, backwards: turn(forwards), decoded: `${decoded}${separator}${turn(decoded)}` };
}

function allOf({ forwards, backwards, decoded }: Readings): string[] {
  return [forwards, backwards, decoded];
}

/**
 * Finds out whether a short value is a word of a text. Numbers are not searched in reverse, because that is another
 * number.
 */
function createWordFinder({ forwards, backwards, decoded }: Readings): (leaf: Leaf) => boolean {
  const [isForwards, isBackwards, isDecoded] = [forwards, backwards, decoded].map(createWordTest);
  return (leaf) => {
    const { text, number } = leaf;
    if (isForwards!(text) || (leaf.encoded ??= encodedWords(leaf.value, number).map(fold)).some(isForwards!))
      return true;
    if (text.length < shortestInNoise) return false;
    return isDecoded!(text) || (Number.isNaN(number) && isBackwards!(text));
  };
}

/** For many words, most of which do not occur. */
function createWordTest(text: string): (word: string) => boolean {
  let pieces: Set<string> | undefined;
  return (word) => {
    if (word.length > runLength) return containsWord(text, word);
    pieces ??= piecesOf(text);
    return pieces.has(word) && containsWord(text, word);
  };
}

function piecesOf(text: string): Set<string> {
  const pieces = new Set<string>();
  for (let index = 0; index < text.length; index++) {
    for (let length = 1; length <= runLength; length++) pieces.add(text.slice(index, index + length));
  }
  return pieces;
}

function turn(text: string): string {
  return [...text].toReversed().join("");
}

interface Leaf {
  readonly keys: readonly string[];
  /** As it was given. */
  readonly value: string;
  /** Folded. */
  readonly text: string;
  /** Its encoded forms, folded. Computed on first use. */
  encoded?: readonly string[];
  /** The value, if it is a number or a text that is one. */
  readonly number: number;
}

/** @returns whether all of them occur */
function collectLeaves(value: unknown, keys: readonly string[], leaves: Leaf[]): boolean {
  if (leaves.length >= maxLeaves) return false;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).every(([key, member]) => collectLeaves(member, [...keys, key], leaves));
  }
  const isPrinted = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isPrinted ? fold(String(value)) : "";
  if (text !== "") leaves.push({ keys, value: String(value), text, number: Number(value) });
  return true;
}

/** Case, escapes, white space and the separators of digits do not change what a text reveals. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replaceAll("\\", "")
    .replace(/\s+/g, " ")
    .replace(/(?<=\d)[,_' ](?=\d)/g, "")
    .trim();
}

/** Numbers in a text, whatever separates thousands and fractions. */
const numbers = /\d[\d.,_' ]*(?:e[+-]?\d+)?/gi;
/**
 * Whether a text writes a number that was refused in another form: rounded, with an exponent, or as another country
 * does.
 */
function writesNumber(text: string, leaves: readonly Leaf[], keys: readonly string[]): boolean {
  const refused = leaves.filter((leaf) => !Number.isNaN(leaf.number) && isAt(keys, leaf.keys));
  if (refused.length === 0) return false;
  const written = (text.match(numbers) ?? []).flatMap(meaningsOf);
  return refused.some(({ number }) => written.some((meaning) => isWrittenAs(Math.abs(number), meaning)));
}

/** The possible readings of a number: its commas separate thousands, or its fraction. */
function meaningsOf(written: string): string[] {
  const plain = written.replace(/[_' ]|[.,]+$/g, "");
  return [plain.replaceAll(",", ""), plain.replaceAll(".", "").replace(",", "."), plain.replace(",", ".")];
}

function isWrittenAs(number: number, meaning: string): boolean {
  const other = Number(meaning);
  if (other === number) return true;
  const decimals = /\.(\d+)$/.exec(meaning)?.[1]?.length ?? 0;
  return decimals > 0 && other === Number(number.toFixed(Math.min(decimals, 100)));
}

function findSharedRuns(texts: readonly string[], leaves: readonly Leaf[]): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const text of texts) {
    for (let index = 0; index + runLength <= text.length; index++) runs.add(text.slice(index, index + runLength));
  }
  const shared = new Set<string>();
  if (runs.size === 0) return shared;
  for (const { text } of leaves) {
    for (let index = 0; index + runLength <= text.length; index++) {
      const run = text.slice(index, index + runLength);
      if (runs.has(run)) shared.add(run);
    }
  }
  return shared;
}

/** The value is what was refused, or inside of it. */
function isAt(refused: readonly string[], keys: readonly string[]): boolean {
  return refused.every((key, index) => keys[index] === key);
}

function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isWord = !continues(text[at - 1], word[0]) && !continues(text[at + word.length], word.at(-1));
    if (isWord) return true;
  }
  return false;
}

/** Whether two adjacent characters are parts of one word, or of one number. */
function continues(neighbour: string | undefined, edge: string | undefined): boolean {
  const isPart = /[\p{L}\p{N}]/u;
  return neighbour !== undefined && edge !== undefined && isPart.test(neighbour) && isPart.test(edge);
}
