import { type JsonSource, parseJson } from "../core/json.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { NotAReply, type Reply } from "../dialects/reply.ts";
import type { Provider, Usage } from "./providers/provider.ts";

/** One answer of a model: what it said, and what it wants to be called. */
export interface Turn {
  readonly reply: Reply;
  readonly text: string;
  readonly usage: Usage;
  /** The assistant's own items, as they are to go back. None where the provider stopped it: it is no part of the conversation. */
  readonly items: readonly unknown[];
}

/** As long as the longest that is read. */
const maxIdLength = 512;

/**
 * @param raw the provider's whole reply
 * @param place how many items came before: ids that are made here differ from all earlier ones
 * @throws Error where it is no reply of that provider
 */
export function readTurn(dialect: Dialect, provider: Provider, raw: unknown, place: number): Turn {
  const text = JSON.stringify(withCallIds(provider, raw, place)) ?? "null";
  const document = parseJson(text);
  const reply = readReply(dialect, { ...document, text });
  const items = reply.finish === "error" ? [] : (JSON.parse(`[${reply.echo()}]`) as unknown[]);
  const kept = provider.keep === undefined ? items : items.map(provider.keep).filter((item) => item !== undefined);
  return {
    reply,
    text: provider.textOf(document.value),
    usage: provider.usageOf(document.value),
    items: kept,
  };
}

function readReply(dialect: Dialect, source: JsonSource): Reply {
  try {
    return dialect.readReply(source);
  } catch (cause) {
    if (!(cause instanceof NotAReply)) throw cause;
    throw new Error(`The model gave what is no reply in the words of ${dialect.name}. ${cause.message}`, { cause });
  }
}

/** Some services give their calls no ids, or one for several, and refuse results that do not tell them apart. */
function withCallIds({ callIds }: Provider, raw: unknown, place: number): unknown {
  if (callIds === undefined) return raw;
  const { key, find } = callIds;
  const given = find(raw).map((call) => call[key]);
  const isGood = (id: unknown, index: number): boolean => isId(id) && given.indexOf(id) === index;
  if (given.every(isGood)) return raw;
  // What the SDK gave is not ours to change.
  const copy: unknown = JSON.parse(JSON.stringify(raw));
  find(copy).forEach((call, index) => {
    if (!isGood(call[key], index)) call[key] = `call_${place}_${index}`;
  });
  return copy;
}

function isId(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= maxIdLength;
}
