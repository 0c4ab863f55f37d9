import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { JsonSchema } from "../json-schema.ts";
import { documentOf } from "../resolve.ts";

/** Values by their JSON text. */
export type PinnedValues = ReadonlyMap<string, unknown>;

/**
 * The values that a schema requires: for a place inside the value, as a JSON Pointer, the only values that it allows.
 */
export type Pins = ReadonlyMap<string, PinnedValues>;

/** A tag may be in an object inside the value, and no deeper. */
const maxDepth = 3;
const maxReferences = 16;

/**
 * The places that a schema restricts with `const` or `enum`: through references, `allOf`, and alternatives that all
 * restrict the same place.
 */
export function pinsOf(schema: unknown, root: JsonSchema): Pins {
  return pinsAt(schema, "", 0, maxReferences);

  function pinsAt(node: unknown, path: string, depth: number, references: number): Pins {
    if (!isJsonObject(node) || depth > maxDepth || references === 0) return none;
    const found = new Map<string, PinnedValues>();
    const add = (pins: Pins): void =>
      pins.forEach((values, place) => void found.set(place, found.get(place) ?? values));
    const values = ownValues(node);
    if (values !== undefined) found.set(path, values);
    for (const [key, member] of membersOf(node)) add(pinsAt(member, path + pointerToken(key), depth + 1, references));
    const target = referenceOf(node, root);
    if (target !== undefined) add(pinsAt(target, path, depth, references - 1));
    for (const member of listOf(node["allOf"])) add(pinsAt(member, path, depth, references - 1));
    for (const keyword of ["anyOf", "oneOf"]) {
      add(inAll(listOf(node[keyword]).map((member) => pinsAt(member, path, depth, references - 1))));
    }
    return found;
  }
}

const none: Pins = new Map();

function ownValues(node: JsonObject): PinnedValues | undefined {
  if (Object.hasOwn(node, "const")) return valuesOf([node["const"]]);
  return Array.isArray(node["enum"]) ? valuesOf(node["enum"]) : undefined;
}

function valuesOf(values: readonly unknown[]): PinnedValues {
  return new Map(values.map((value) => [JSON.stringify(value), value]));
}

function membersOf(node: JsonObject): [string, unknown][] {
  const tuple = node["prefixItems"] ?? node["items"];
  return [
    ...(isJsonObject(node["properties"]) ? Object.entries(node["properties"]) : []),
    ...(Array.isArray(tuple) ? (Object.entries(tuple) as [string, unknown][]) : []),
  ];
}

/** The places that each of them restricts, with the values of all. */
function inAll([first = none, ...others]: readonly Pins[]): Pins {
  const shared = [...first].filter(([place]) => others.every((pins) => pins.has(place)));
  return new Map(
    shared.map(([place, values]) => [
      place,
      new Map([values, ...others.map((pins) => pins.get(place)!)].flatMap((each) => [...each])),
    ]),
  );
}

/** The target of a schema's reference, if the document contains it. */
export function referenceOf(node: JsonObject, root: JsonSchema): JsonSchema | undefined {
  const reference = node["$ref"];
  if (typeof reference !== "string" || !isJsonObject(root)) return undefined;
  return documentOf(root).resolve(reference, node)?.node;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
