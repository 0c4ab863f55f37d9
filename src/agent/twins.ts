import { isId } from "../dialects/reading/found-calls.ts";
import { findTwins } from "../dialects/reading/twins.ts";
import type { ProviderConversation } from "../dialects/conversation/conversation.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";

const warning = "The model made a call twice, with the same id, tool and arguments. The call was run once.";

/**
 * A reply without calls that only repeat others: providers refuse a conversation in which two calls have the same id.
 */
export function withoutTwins(
  { calls }: ProviderConversation,
  reply: unknown,
): { reply: unknown; warnings: readonly string[] } {
  if (!hasTwins(calls, calls.list(reply))) return { reply, warnings: [] };
  // The object belongs to the SDK and must not be changed.
  const copy: unknown = JSON.parse(JSON.stringify(reply));
  const list = calls.list(copy) ?? [];
  const twins = new Set<unknown>(twinsIn(calls, list));
  list.splice(0, list.length, ...list.filter((item) => !twins.has(item)));
  return { reply: copy, warnings: [warning] };
}

function hasTwins(calls: ProviderConversation["calls"], list: unknown[] | undefined): boolean {
  return list !== undefined && twinsIn(calls, list).length > 0;
}

function twinsIn({ read }: ProviderConversation["calls"], list: readonly unknown[]): JsonObject[] {
  const found = list.filter(isJsonObject).flatMap((item) => {
    const call = read(item);
    return call === undefined ? [] : [{ item, call }];
  });
  const twins = findTwins(found.map(({ call: { id, name, args } }) => ({ id: isId(id) ? id : undefined, name, args })));
  return found.filter((_, place) => twins[place] !== undefined).map(({ item }) => item);
}
