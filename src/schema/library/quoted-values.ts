/** So many characters in a row that a text shares with a value count as a quotation. */
const runLength = 6;
/** Shorter values are looked for only where they were refused: elsewhere they are found in any text. */
const shortLength = 4;
/** More text than this in one value is not searched: everything counts as a quotation then. */
const maxSearchedLength = 200_000;
const maxLeaves = 20_000;

/**
 * Finds out which of some texts may repeat a part of a value, in any case and with any escapes. It errs on the side of
 * yes: a text that looks like a quotation is worth less than a value that gets out.
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
  const shared = findSharedRuns(texts.map(fold), leaves);
  return (text, keys) => {
    const folded = fold(text);
    if (writesNumber(text, leaves, keys)) return true;
    for (let index = 0; index + runLength <= folded.length; index++) {
      if (shared.has(folded.slice(index, index + runLength))) return true;
    }
    return leaves.some(
      (leaf) =>
        leaf.text.length <= runLength &&
        (leaf.text.length >= shortLength || isAt(keys, leaf.keys)) &&
        containsWord(folded, leaf.text),
    );
  };
}

interface Leaf {
  readonly keys: readonly string[];
  /** Folded. */
  readonly text: string;
  /** The value, if it is a number or a text that is one. */
  readonly number: number;
}

/** @returns whether they are all there */
function collectLeaves(value: unknown, keys: readonly string[], leaves: Leaf[]): boolean {
  if (leaves.length >= maxLeaves) return false;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).every(([key, member]) => collectLeaves(member, [...keys, key], leaves));
  }
  const isPrinted = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isPrinted ? fold(String(value)) : "";
  if (text !== "") leaves.push({ keys, text, number: Number(value) });
  return true;
}

/** Case, escapes, white space and the separators of digits make no difference to what a text gives away. */
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
/** Whether a text writes a number that was refused in another form: rounded, with an exponent, or as another country does. */
function writesNumber(text: string, leaves: readonly Leaf[], keys: readonly string[]): boolean {
  const refused = leaves.filter((leaf) => !Number.isNaN(leaf.number) && isAt(keys, leaf.keys));
  if (refused.length === 0) return false;
  const written = (text.match(numbers) ?? []).flatMap(meaningsOf);
  return refused.some(({ number }) => written.some((meaning) => isWrittenAs(Math.abs(number), meaning)));
}

/** What a number may mean: its commas separate thousands, or its fraction. */
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

/** Two characters that stand side by side are parts of one word, or of one number. */
function continues(neighbour: string | undefined, edge: string | undefined): boolean {
  const isPart = /[\p{L}\p{N}]/u;
  return neighbour !== undefined && edge !== undefined && isPart.test(neighbour) && isPart.test(edge);
}
