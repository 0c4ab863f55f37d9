import { type JsonDocument, type JsonSource, parseJson } from "../core/json.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { NotAReply, type Reply } from "../dialects/reply.ts";
import type { Provider, Said } from "./providers/provider.ts";

/** One answer of a model: what it said, and what it wants to be called. */
export interface Turn extends Said {
  readonly reply: Reply;
  /** The assistant's own items, as they came. */
  readonly items: readonly unknown[];
}

/** As long as the longest that is read. */
const maxIdLength = 512;

/**
 * @param raw the provider's whole reply
 * @param turn how many items came before: ids that are made here differ from all earlier ones
 * @throws NotAReply where it is no reply of that provider
 */
export function readTurn(dialect: Dialect, provider: Provider, raw: unknown, turn: number): Turn {
  const text = JSON.stringify(withCallIds(provider, raw, turn)) ?? "null";
  const document: JsonDocument = parseJson(text);
  const reply = readReply(dialect, { ...document, text });
  const said = provider.read(document.value);
  // What the provider stopped is no part of the conversation, unless its calls are to be answered.
  if (said.finish === "error" && reply.calls.length === 0) return { ...said, reply, items: [] };
  const items = JSON.parse(`[${reply.echo()}]`) as unknown[];
  return { ...said, reply, items: provider.keep?.(items, reply.calls) ?? items };
}

function readReply(dialect: Dialect, source: JsonSource): Reply {
  try {
    return dialect.readReply(source);
  } catch (error) {
    if (!(error instanceof NotAReply)) throw error;
    throw new Error(`The model gave what is no reply in the words of ${dialect.name}. ${error.message}`, {
      cause: error,
    });
  }
}

/** Some services give their calls no ids, or one for several, and refuse results that do not tell them apart. */
function withCallIds({ callIds }: Provider, raw: unknown, turn: number): unknown {
  if (callIds === undefined) return raw;
  const { key, find } = callIds;
  const given = find(raw).map((call) => call[key]);
  const isGood = (id: unknown, index: number): boolean => isId(id) && given.indexOf(id) === index;
  if (given.every(isGood)) return raw;
  // What the SDK gave is not ours to change.
  const copy: unknown = JSON.parse(JSON.stringify(raw));
  find(copy).forEach((call, index) => {
    if (!isGood(call[key], index)) call[key] = `call_${turn}_${index}`;
  });
  return copy;
}

function isId(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= maxIdLength;
}
