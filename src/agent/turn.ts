import { type JsonDocument, parseJson } from "../core/json.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Reply } from "../dialects/reply.ts";
import type { Provider, Said } from "./providers/provider.ts";

/** One answer of a model: what it said, and what it wants to be called. */
export interface Turn extends Said {
  readonly reply: Reply;
  /** The assistant's own items, as they came. */
  readonly items: readonly unknown[];
}

/** @param raw the provider's whole reply. @throws NotAReply where it is no reply of that provider */
export function readTurn(dialect: Dialect, provider: Provider, raw: unknown): Turn {
  const text = JSON.stringify(raw) ?? "null";
  const document: JsonDocument = parseJson(text);
  const reply = dialect.readReply({ ...document, text });
  const items = JSON.parse(`[${reply.echo()}]`) as unknown[];
  const kept = provider.keep === undefined ? items : items.map(provider.keep).filter((item) => item !== undefined);
  return { ...provider.read(document.value), reply, items: kept };
}
