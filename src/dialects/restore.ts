import { isJsonObject, pointerToken } from "../core/json.ts";
import type { JsonObject, JsonSchema } from "../core/json-schema.ts";
import type { Repair } from "../core/repair.ts";
import type { DialectName } from "./dialect.ts";
import { applicableTo, createNullReader } from "./schema/applicable.ts";
import { wireKeysOf } from "./schema/keys.ts";
import { type NormalSchema, normalise } from "./schema/normalise.ts";
import { getOwn, listOf, setOwn } from "./schema/own.ts";
import { shapes } from "./schema/profiles.ts";

export interface Restored {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
}

const untouched: readonly Repair[] = [];

/** No model writes more values into one call. Where there are more, nothing is undone: a check of each takes its time. */
const maxValues = 100_000;

/**
 * Undoes in a call's arguments what the dialect's declarations, plain or strict, may have changed: keys of properties get
 * their own names back, and null for a property that may be left out, but may not be null, is left out.
 * @returns the arguments themselves where nothing was to be undone
 */
export function restoreArguments(dialect: DialectName, parameters: JsonSchema, args: unknown): Restored {
  if (!isJsonObject(parameters) || !isJsonObject(args)) return { value: args, repairs: untouched };
  const { keys } = keyRules[dialect] ?? {};
  const plan = planOf(parameters);
  const names = keys === undefined ? noNames : plan.namesFor(keys.pattern);
  const hasNull = holdsNull(args);
  if (plan.normal === undefined || hasNull === undefined || (names.size === 0 && !hasNull)) {
    return { value: args, repairs: untouched };
  }
  const { definitions, root } = plan.normal;
  const repairs: Repair[] = [];
  const value = restore(args, [root], "");
  return { value, repairs };

  function restore(value: unknown, schemas: readonly JsonObject[], path: string): unknown {
    if (schemas.length === 0) return value;
    if (Array.isArray(value)) return restoreItems(value, applicableTo(schemas, value, definitions), path);
    if (!isJsonObject(value)) return value;
    const named = renameBack(value, schemas, path);
    const nodes = applicableTo(schemas, named.object, definitions);
    let readNull: ReturnType<typeof createNullReader> | undefined;
    const restored: JsonObject = {};
    let isSame = named.object === value;
    for (const [key, member] of Object.entries(named.object)) {
      const at = path + pointerToken(named.wireNames.get(key) ?? key);
      if (member === null) readNull ??= createNullReader(named.object, schemas, nodes, definitions);
      if (member === null && readNull?.(key) === "absent") {
        repairs.push({ path: at, kind: "dropped_null" });
        isSame = false;
        continue;
      }
      const isScalar = typeof member !== "object" || member === null;
      const written = isScalar ? member : restore(member, schemasOfProperty(nodes, key), at);
      if (written !== member) isSame = false;
      setOwn(restored, key, written);
    }
    return isSame ? value : restored;
  }

  function restoreItems(items: readonly unknown[], nodes: readonly JsonObject[], path: string): unknown {
    const restored = items.map((item, index) => restore(item, schemasOfItem(nodes, index), path + pointerToken(index)));
    return restored.every((item, index) => item === items[index]) ? items : restored;
  }

  /** A key goes by its own name again where a schema knows that, none knows the key, and the name is free. */
  function renameBack(
    object: JsonObject,
    schemas: readonly JsonObject[],
    path: string,
  ): { readonly object: JsonObject; readonly wireNames: ReadonlyMap<string, string> } {
    const wireNames = new Map<string, string>();
    if (names.size === 0 || (path !== "" && keys?.everywhere !== true)) return { object, wireNames };
    const nodes = applicableTo(schemas, undefined, definitions);
    const declares = (key: string): boolean => nodes.some((node) => Object.hasOwn(Object(node["properties"]), key));
    const renamed: JsonObject = {};
    for (const [wire, member] of Object.entries(object)) {
      const own = names.get(wire);
      const isRenamed = own !== undefined && declares(own) && !declares(wire) && !Object.hasOwn(object, own);
      setOwn(renamed, isRenamed ? own : wire, member);
      if (!isRenamed) continue;
      wireNames.set(own, wire);
      repairs.push({ path: path + pointerToken(wire), kind: "restored_key" });
    }
    return wireNames.size === 0 ? { object, wireNames } : { object: renamed, wireNames };
  }
}

const keyRules: Partial<Record<DialectName, Pick<(typeof shapes)["gemini"], "keys">>> = {
  anthropic: shapes.anthropic,
  gemini: shapes.gemini,
};

function schemasOfProperty(nodes: readonly JsonObject[], key: string): JsonObject[] {
  const schemas = nodes.flatMap((node) => {
    const declared = getOwn(Object(node["properties"]) as JsonObject, key);
    return declared ?? ("patternProperties" in node ? [] : node["additionalProperties"]);
  });
  return schemas.filter(isJsonObject);
}

function schemasOfItem(nodes: readonly JsonObject[], index: number): JsonObject[] {
  return nodes.map((node) => listOf(node["prefixItems"])[index] ?? node["items"]).filter(isJsonObject);
}

/** @returns undefined where there are more values than are looked at */
function holdsNull(args: JsonObject): boolean | undefined {
  const values: unknown[] = [args];
  // The list grows on the way.
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    for (const member of Object.values(value)) if (values.push(member) > maxValues) return undefined;
  }
  return values.includes(null);
}

interface Plan {
  /** Undefined: the schema cannot be read, and nothing was declared of it. */
  readonly normal: NormalSchema | undefined;
  /** The own name of each key that goes by another. */
  namesFor(pattern: RegExp): ReadonlyMap<string, string>;
}

const noNames: ReadonlyMap<string, string> = new Map();
const plans = new WeakMap<JsonObject, Plan>();

function planOf(parameters: JsonObject): Plan {
  const known = plans.get(parameters);
  if (known !== undefined) return known;
  const normal = tryNormalise(parameters);
  const namesByPattern = new Map<RegExp, ReadonlyMap<string, string>>();
  const plan: Plan = {
    normal,
    namesFor(pattern) {
      const names = namesByPattern.get(pattern) ?? invert(normal, pattern);
      namesByPattern.set(pattern, names);
      return names;
    },
  };
  plans.set(parameters, plan);
  return plan;
}

function tryNormalise(parameters: JsonObject): NormalSchema | undefined {
  try {
    return normalise(parameters);
  } catch {
    return undefined;
  }
}

function invert(normal: NormalSchema | undefined, pattern: RegExp): ReadonlyMap<string, string> {
  if (normal === undefined) return noNames;
  return new Map([...wireKeysOf(normal, pattern)].map(([own, wire]) => [wire, own]));
}
