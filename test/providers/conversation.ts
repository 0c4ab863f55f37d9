import { isObject, type Json } from "./rules/breach.ts";
import type { Misfit } from "./rules/shape.ts";

/** What a provider refuses a conversation by. */
export interface ConversationBreach {
  /** JSON Pointer into the messages. */
  readonly path: string;
  readonly rule: string;
  /** What the provider answers, in its own words where they are known. */
  readonly message: string;
}

/**
 * What a provider would refuse in the messages of a request.
 * @param sent what it answered before, whole: some of it must come back unchanged
 */
export type ConversationCheck = (messages: readonly unknown[], sent: readonly unknown[]) => ConversationBreach[];

/** The objects of a list; nothing where it is no list. */
export function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A field inside of fields, or `undefined`. */
export function dig(value: unknown, ...steps: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of steps) {
    found = isObject(found) || Array.isArray(found) ? (found as Record<string | number, unknown>)[step] : undefined;
  }
  return found;
}

/** The first misfit as a breach: providers name one, too. */
export function firstMisfit(
  found: readonly Misfit[],
  path: string,
  say: Readonly<Record<Misfit["problem"], (misfit: Misfit) => string>>,
): ConversationBreach[] {
  return found.slice(0, 1).map((misfit) => ({
    path: `${path}/${misfit.field}`,
    rule: "shape",
    message: say[misfit.problem](misfit),
  }));
}
