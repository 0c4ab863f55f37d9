import { takeFreeId } from "../dialects/reading/free-id.ts";
import { type JsonSource, JsonSyntaxError, parseJson } from "../json/parse.ts";
import { repairJsonText } from "../json/well-formed.ts";
import type { ConversationDialect, Dialect } from "../dialects/dialect.ts";
import { isId } from "../dialects/reading/found-calls.ts";
import { NotAReply, type Reply } from "../dialects/reply.ts";
import type { ProviderConversation, Usage } from "../dialects/conversation/conversation.ts";
import { withoutTwins } from "./twins.ts";

/** One answer of a model: its text and its calls. */
export interface Turn {
  readonly reply: Reply;
  readonly text: string;
  readonly usage: Usage;
  /** Fields of the next requests that repeat values of this reply. */
  readonly followUp: Readonly<Record<string, unknown>>;
  /**
   * The assistant's own items, as they are to be sent back. Empty if the provider stopped it: then it is not part of
   * the conversation.
   */
  readonly items: readonly unknown[];
  /** Problems of the reply that did not make it fail. */
  readonly warnings: readonly string[];
}

/**
 * @param before the conversation's items: generated ids differ from theirs
 * @throws Error if it is not a reply of that provider
 */
export function readTurn(dialect: ConversationDialect, raw: unknown, before: readonly unknown[]): Turn {
  const { conversation: provider } = dialect;
  const readable = provider.readable === undefined ? raw : provider.readable(raw);
  const { reply: single, warnings } = withoutTwins(provider, readable);
  const written = JSON.stringify(withCallIds(provider, single, before)) ?? "null";
  const whole = repairJsonText(written);
  const source = readSource(whole);
  const reply = readReply(dialect, source);
  const items = reply.finish === "error" ? [] : (JSON.parse(`[${reply.echo()}]`) as unknown[]);
  const kept = provider.keep === undefined ? items : items.map(provider.keep).filter((item) => item !== undefined);
  return {
    reply,
    text: provider.textOf(source.value),
    usage: provider.usageOf(source.value),
    followUp: provider.followUp?.(source.value) ?? {},
    items: kept,
    warnings: [
      ...warnings,
      ...(whole === written ? [] : [surrogateWarning]),
      ...reply.warnings.map(({ message }) => message),
    ],
  };
}

const surrogateWarning =
  "The reply contained half a surrogate pair, which a request must not contain. It was replaced by U+FFFD.";

function readSource(text: string): JsonSource {
  try {
    return { ...parseJson(text), text };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // The reply is nested too deeply. With a refusal, the arguments of each call are checked separately.
    return { value: JSON.parse(text) as unknown, text, refusals: [{ path: "", reason: error.message }] };
  }
}

function readReply(dialect: Dialect, source: JsonSource): Reply {
  try {
    return dialect.readReply(source);
  } catch (cause) {
    if (!(cause instanceof NotAReply)) throw cause;
    throw new Error(`The model's answer is not a reply in the format "${dialect.name}". ${cause.message}`, { cause });
  }
}

/**
 * Some services send calls without ids, with invalid ids, or with the same id for several calls of one turn or of two.
 * Providers refuse results whose ids are not unique.
 */
function withCallIds({ callIds }: ProviderConversation, raw: unknown, before: readonly unknown[]): unknown {
  if (callIds === undefined) return raw;
  const { key, pattern, find } = callIds;
  const taken = new Set(before.flatMap(find).map((call) => call[key]));
  const given = find(raw).map((call) => call[key]);
  const areGood = given.map((id) => {
    const isGood = isId(id) && (pattern?.test(id) ?? true) && !taken.has(id);
    taken.add(id);
    return isGood;
  });
  if (!areGood.includes(false)) return raw;
  // The object belongs to the SDK and must not be changed.
  const copy: unknown = JSON.parse(JSON.stringify(raw));
  find(copy).forEach((call, index) => {
    if (areGood[index] === true) return;
    call[key] = takeFreeId(`call_${before.length}_${index}`, taken);
  });
  return copy;
}
