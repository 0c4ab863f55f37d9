import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isSingleCall } from "../reading/tool-calls.ts";

/** The value itself; an empty object if it is not an object. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; none if it is not a list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The value itself; undefined if it is not a list. */
export function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * The calls of a message as a list, whether or not they are in one, and in the message or next to it; undefined if
 * there are none.
 */
export function callList(own: unknown, beside: unknown): unknown[] | undefined {
  const inside = oneAsList(own);
  return inside === undefined || inside.length === 0 ? (oneAsList(beside) ?? inside) : inside;
}

function oneAsList(calls: unknown): unknown[] | undefined {
  return isSingleCall(calls) ? [calls] : listOf(calls);
}
