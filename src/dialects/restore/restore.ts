import { isJsonObject, type JsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Repair } from "../../schema/repair.ts";
import type { Dialect } from "../dialect.ts";
import { dropForeignNulls, dropNulls, noWireNames, renameBack } from "./walks.ts";
import { createReader, type Reader } from "./applicable.ts";
import type { Spend } from "./choices.ts";
import { wireKeysOf } from "../schema/write/keys.ts";
import { modernise, type ModernSchema } from "../../schema/modern.ts";
import type { Shape } from "../schema/profile.ts";

interface Restored {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
}

/**
 * Reverts in a call's arguments what the dialect's declarations, plain or strict, may have changed. Properties get
 * their own names back: a key that a declaration assigns to a property, and that the schema itself does not know, is
 * that property if it is absent under its own name. An open object may contain such a key on purpose, but a model that
 * was shown the declaration means the property. A null for a property that may be absent but must not be null is
 * removed, unless the arguments are accepted with it. If a condition or an alternative may allow it, null remains.
 * Declarations have the properties of all alternatives of the root: null for one of another alternative is removed too.
 * @param accepts the tool's own check; absent: nothing is accepted with null in it
 * @returns the arguments themselves if nothing was reverted
 */
export type Restorer = (parameters: JsonSchema, args: unknown, accepts?: (args: unknown) => boolean) => Restored;

/** Restores the arguments of one call. See {@link Restorer}. */
export function restoreArguments(dialect: Dialect, parameters: JsonSchema, args: unknown): Restored {
  return createRestorer(dialect)(parameters, args);
}

/**
 * No model writes more values into one call. Above this, nothing is reverted, because looking at each value takes time.
 */
const maxValues = 100_000;

/**
 * Budget for the calls of one reply together, in steps of about 200 ns: one value, or one schema for a value. Anything
 * beyond it remains unchanged. Counted, not timed, so that it does not depend on the load of the machine.
 */
const maxSteps = 500_000;

class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

/**
 * Creates the function that restores the calls of one reply. The calls share one budget and the cached facts about
 * their schemas.
 */
export function createRestorer(dialect: Dialect): Restorer {
  const readers = new Map<ModernSchema, Reader>();
  const { keys, isFlattened } = rulesOf(dialect);
  let left = maxSteps;

  return (parameters, args, accepts = () => false) => {
    const untouched: Restored = { value: args, repairs: [] };
    if (left < 0 || !isJsonObject(parameters) || !isJsonObject(args)) return untouched;
    try {
      return restoreWith(planOf(parameters), args, accepts);
    } catch (error) {
      if (error instanceof OutOfSteps) return untouched;
      throw error;
    }
  };

  function spend(steps: number): void {
    left -= steps;
    if (left < 0) throw new OutOfSteps();
  }

  function restoreWith(plan: Plan, args: JsonObject, accepts: (args: unknown) => boolean): Restored {
    const untouched: Restored = { value: args, repairs: [] };
    const names = keys === undefined ? noNames : plan.namesFor(keys.pattern);
    const hasNull = plan.modern === undefined ? undefined : containsNull(args, spend);
    if (plan.modern === undefined || hasNull === undefined) return untouched;
    const { root, definitions } = plan.modern;
    let reader = readers.get(plan.modern);
    if (reader === undefined) readers.set(plan.modern, (reader = createReader(definitions, spend)));
    const walk = { root, reader, spend };
    const { wireNames, ...named } =
      keys === undefined || names.size === 0
        ? { ...untouched, wireNames: noWireNames }
        : renameBack(walk, args, { names, everywhere: keys.everywhere === true });
    if (!hasNull) return named;
    const bare = dropNulls(walk, named.value, wireNames);
    const isBare = bare.repairs.length > 0 && !accepts(named.value);
    const restored = isBare ? { value: bare.value, repairs: [...named.repairs, ...bare.repairs] } : named;
    if (!isFlattened || !isJsonObject(restored.value)) return restored;
    const own = dropForeignNulls(walk, restored.value, wireNames.get(named.value as object));
    if (own.repairs.length === 0 || !accepts(own.value)) return restored;
    return { value: own.value, repairs: [...restored.repairs, ...own.repairs] };
  }
}

/** @returns undefined if there are too many values */
function containsNull(args: JsonObject, spend: Spend): boolean | undefined {
  const values: unknown[] = [args];
  let found = false;
  // The list grows during the loop.
  for (const value of values) {
    if (value === null) found = true;
    if (typeof value !== "object" || value === null) continue;
    const before = values.length;
    if (Array.isArray(value)) for (const item of value.slice(0, maxValues)) values.push(item);
    else pushMembers(value as JsonObject, values);
    spend(values.length - before);
    if (values.length > maxValues) return undefined;
  }
  return found;
}

/** Not Object.values, which takes a second for the largest body. */
function pushMembers(object: JsonObject, values: unknown[]): void {
  for (const key in object) {
    if (values.length > maxValues) return;
    if (Object.hasOwn(object, key)) values.push(object[key]);
  }
}

/**
 * The keys that the dialect's declarations may contain, and whether the alternatives of the root become one object in
 * them. All its profiles have the same.
 */
function rulesOf(dialect: Dialect): { readonly keys: Shape["keys"]; readonly isFlattened: boolean } {
  const profile = dialect.profile({ strict: false, schema: "json" });
  return "shape" in profile ? { keys: profile.shape.keys, isFlattened: true } : { keys: undefined, isFlattened: false };
}

interface Plan {
  /** Undefined: the schema cannot be read, and nothing was declared from it. */
  readonly modern: ModernSchema | undefined;
  /** The own name of each key that was renamed in the declaration. */
  namesFor(pattern: RegExp): ReadonlyMap<string, string>;
}

const noNames: ReadonlyMap<string, string> = new Map();
const plans = new WeakMap<JsonObject, Plan>();

function planOf(parameters: JsonObject): Plan {
  const known = plans.get(parameters);
  if (known !== undefined) return known;
  const modern = tryModernise(parameters);
  const namesByPattern = new Map<RegExp, ReadonlyMap<string, string>>();
  const plan: Plan = {
    modern,
    namesFor(pattern) {
      const names = namesByPattern.get(pattern) ?? invert(modern, pattern);
      namesByPattern.set(pattern, names);
      return names;
    },
  };
  plans.set(parameters, plan);
  return plan;
}

function tryModernise(parameters: JsonObject): ModernSchema | undefined {
  try {
    return modernise(parameters);
  } catch {
    return undefined;
  }
}

function invert(modern: ModernSchema | undefined, pattern: RegExp): ReadonlyMap<string, string> {
  if (modern === undefined) return noNames;
  return new Map([...wireKeysOf(modern, pattern)].map(([own, wire]) => [wire, own]));
}
