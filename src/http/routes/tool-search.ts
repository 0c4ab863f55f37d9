import type { RegisteredTool } from "../../core/registry/registered-tool.ts";
import { isJsonObject } from "../../json/object.ts";
import { inlineRoot } from "../../schema/root.ts";

/** Further words of a query are ignored. Each word is searched for in each tool. */
const maxQueryLength = 1000;
const maxQueryWords = 32;

/**
 * The tools that match the words, best first: BM25 over name, title, description and argument names. A word in
 * the name has the highest weight, and the beginning of a word counts half. Only the first words of a long query are
 * used.
 */
export function searchTools(tools: readonly RegisteredTool[], query: string): RegisteredTool[] {
  const words = [...new Set(wordsOf(query.slice(0, maxQueryLength)))].slice(0, maxQueryWords);
  const documents = tools.map(toDocument);
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const scores = documents.map(() => 0);
  for (const word of words) {
    const frequencies = documents.map((document) => frequencyOf(word, document));
    const matching = frequencies.filter((frequency) => frequency > 0).length;
    const rarity = Math.log(1 + (documents.length - matching + 0.5) / (matching + 0.5));
    frequencies.forEach((frequency, index) => {
      const relativeLength = documents[index]!.length / averageLength;
      scores[index]! += (rarity * frequency * 2.2) / (frequency + 1.2 * (0.25 + 0.75 * relativeLength));
    });
  }
  return tools
    .map((tool, index) => ({ tool, score: scores[index]! }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

interface Document {
  /** The weight of each word in this tool. */
  readonly weights: ReadonlyMap<string, number>;
  readonly length: number;
}

function toDocument({ tool }: RegisteredTool): Document {
  const weights = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) {
      weights.set(word, (weights.get(word) ?? 0) + weight);
      length++;
    }
  };
  add(tool.name, 4);
  add(tool.title ?? "", 3);
  add(tool.description, 1);
  const parameters = inlineRoot(tool.parameters);
  const properties = isJsonObject(parameters) ? parameters["properties"] : undefined;
  if (isJsonObject(properties)) add(Object.keys(properties).join(" "), 1);
  return { weights, length };
}

function frequencyOf(word: string, { weights }: Document): number {
  const exact = weights.get(word);
  if (exact !== undefined || word.length < 3) return exact ?? 0;
  let partial = 0;
  for (const [candidate, weight] of weights) {
    if (candidate.startsWith(word)) partial = Math.max(partial, weight / 2);
  }
  return partial;
}

/** Words in lower case; `getWeather`, `get_weather` and `get weather` have the same two. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
}
