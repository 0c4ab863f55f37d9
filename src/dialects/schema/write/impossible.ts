import { type JsonObject, listOf } from "../../../json/object.ts";
import { isNever } from "../never.ts";
import { splitTypes, typesOf } from "./types.ts";
import { type Place, rootPlace, type Writer } from "./writer.ts";

const known = new WeakMap<JsonObject, boolean>();
const maxDepth = 4;

/** Whether it is obvious that no value fits: schemas for the same value contradict each other. */
export function isImpossible(schema: unknown, place: Place, writer: Writer, depth = 0): boolean {
  if (isNever(schema)) return true;
  const node = schema as JsonObject;
  const target = Object.keys(node).join() === "$ref" ? writer.modern.definitions.get(String(node["$ref"])) : undefined;
  if (target === undefined) return contradictsItself(node, place, writer, depth);
  const answer = known.get(target) ?? contradictsItself(target, place, writer, depth);
  if (depth === 0) known.set(target, answer);
  return answer;
}

function contradictsItself(source: JsonObject, place: Place, writer: Writer, depth: number): boolean {
  const isMade = "$ref" in source || "allOf" in source;
  // The depth of its own recursion does not matter for what it accepts.
  const node = isMade ? writer.settle(source, { ...place, within: rootPlace.within }, true).node : source;
  if (isNever(node)) return true;
  const branches = listOf(node["anyOf"] ?? node["oneOf"]);
  if (branches.length > 0 && depth < maxDepth) {
    return branches.every((branch) => isImpossible(branch, place, writer, depth + 1));
  }
  const hasValues = "const" in node || Array.isArray(node["enum"]);
  return hasValues && splitTypes(node, typesOf(node) ?? []).length === 0;
}
