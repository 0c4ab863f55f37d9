import fc from "fast-check";
import { piecesOf } from "../streaming/cuts.ts";

type Fields = Record<string, unknown>;

/** The chunks in which the API might stream a response: texts cut, a call's arguments in pieces, parts over chunks. */
export function toGeminiChunks(response: Fields): fc.Arbitrary<Fields[]> {
  const { candidates, usageMetadata, promptFeedback, ...head } = response;
  const [candidate] = (candidates ?? []) as Fields[];
  if (candidate === undefined) return fc.constant([response]);
  const { content, ...end } = candidate;
  const { parts = [], ...author } = (content ?? {}) as { parts?: Fields[] };
  return fc
    .tuple(...parts.map(cutsOf))
    .map((cut) => cut.flat())
    .chain((cut) => fc.array(fc.nat({ max: 2 }), { maxLength: cut.length }).map((breaks) => chunksOf(cut, breaks)))
    .map((lists) => [
      ...lists.map((list) => ({
        candidates: [{ content: { ...author, parts: list }, index: end["index"] ?? 0 }],
        usageMetadata: { promptTokenCount: 1 },
        ...head,
      })),
      {
        candidates: [content === undefined ? end : { ...end, content: author }],
        ...(usageMetadata !== undefined && { usageMetadata }),
        ...(promptFeedback !== undefined && { promptFeedback }),
        ...head,
      },
    ]);
}

/** Parts in chunks: a new one where it says so, which may be twice before a part. */
function chunksOf(parts: readonly Fields[], breaks: readonly number[]): Fields[][] {
  const chunks: Fields[][] = [[]];
  parts.forEach((part, index) => {
    for (let count = breaks[index] ?? 0; count > 0; count--) chunks.push([]);
    chunks.at(-1)?.push(part);
  });
  return chunks;
}

function cutsOf(part: Fields): fc.Arbitrary<Fields[]> {
  const { functionCall, text } = part as { functionCall?: Fields; text?: string };
  if (functionCall !== undefined) return fc.oneof(fc.constant<Fields[]>([part]), callPieces(part, functionCall));
  const isPlain = Object.keys(part).every((key) => key === "text" || key === "thought");
  if (!isPlain || text === undefined || text === "") return fc.constant<Fields[]>([part]);
  return piecesOf(text).map((pieces) => pieces.map((piece) => ({ ...part, text: piece })));
}

/** As Vertex AI streams a call; what it cannot say, as an empty object, comes whole. */
function callPieces(part: Fields, { args, ...head }: Fields): fc.Arbitrary<Fields[]> {
  const leaves = args === undefined ? undefined : leavesOf(args, "$");
  if (leaves === undefined) return fc.constant<Fields[]>([part]);
  const pieces = leaves.map(({ path, value }) =>
    typeof value === "string"
      ? piecesOf(value).map((texts) => [
          ...texts.map((text) => ({ jsonPath: path, stringValue: text, willContinue: true })),
          { jsonPath: path, stringValue: "" },
        ])
      : fc.constant([
          {
            jsonPath: path,
            ...(value === null
              ? { nullValue: "NULL_VALUE" }
              : { [`${typeof value === "number" ? "number" : "bool"}Value`]: value }),
          },
        ]),
  );
  return fc
    .tuple(fc.boolean(), ...pieces)
    .map(([isClosed, ...lists]) => [
      { ...part, functionCall: { ...head, willContinue: true } },
      ...lists.flat().map((piece) => ({ functionCall: { partialArgs: [piece], willContinue: true } })),
      ...(isClosed ? [{ functionCall: {} }] : []),
    ]);
}

function leavesOf(value: unknown, path: string): { path: string; value: unknown }[] | undefined {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const entries = Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item] as const)
    : Object.entries(value).map(
        ([key, item]) => [/^[a-z]\w*$/i.test(key) ? `.${key}` : `['${escape(key)}']`, item] as const,
      );
  if (entries.length === 0 && path !== "$") return undefined;
  const leaves = entries.map(([segment, item]) => leavesOf(item, path + segment));
  return leaves.includes(undefined) ? undefined : leaves.flatMap((list) => list ?? []);
}

function escape(key: string): string {
  return JSON.stringify(key).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
}
