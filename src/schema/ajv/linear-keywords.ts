import { _, type Ajv, type KeywordCxt } from "ajv";
import { canonicalJson } from "../../json/canonical.ts";

/** Called before a comparison with its cost, in steps of about 10 ns. May throw. */
export type OnCost = (steps: number) => void;

/** To look up a scalar, and to write a member, an item or a character in canonical form. */
const stepsPerItem = 15;

/** Up to this number, scalars are compared one by one in ajv's own code; more of them, or objects, are looked up. */
const comparedOneByOne = 50;

/**
 * Replaces ajv's `uniqueItems`, which compares each item with each other, and its `enum`, which compares with one value
 * after the other. The verdicts stay the same; 8,000 objects took 1.4 s. `const` too: to compare two objects, ajv calls
 * their `toString` and `valueOf`, which may be the caller's own.
 */
export function useLinearKeywords(ajv: Ajv, onCost: OnCost = () => {}): void {
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: {
      message: ({ params }) =>
        _`"must NOT have duplicate items (items ## " + ${params["j"]} + " and " + ${params["i"]} + " are identical)"`,
      params: ({ params }) => _`{i: ${params["i"]}, j: ${params["j"]}}`,
    },
    code(context: KeywordCxt) {
      const { gen, data, schema } = context;
      if (schema !== true) return;
      const find = gen.scopeValue("func", { ref: (items: readonly unknown[]) => findDuplicate(items, onCost) });
      const pair = gen.const("pair", _`${find}(${data})`);
      context.setParams({ i: _`${pair}[0]`, j: _`${pair}[1]` });
      context.fail(_`${pair} !== undefined`);
    },
  });
  lookUp(ajv, "enum", onCost, (schema) => {
    const values: readonly unknown[] = Array.isArray(schema) ? schema : [];
    return values.length > comparedOneByOne || values.some(isComposite) ? values : undefined;
  });
  lookUp(ajv, "const", onCost, (schema) => (isComposite(schema) ? [schema] : undefined));
}

/** Makes a keyword look up the values of `valuesOf`. If there are none, ajv's own code stays. */
function lookUp(
  ajv: Ajv,
  keyword: string,
  onCost: OnCost,
  valuesOf: (schema: unknown) => readonly unknown[] | undefined,
): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  const { definition } = rule;
  rule.definition = {
    ...definition,
    code(context: KeywordCxt) {
      const values = valuesOf(context.schema);
      if (values === undefined) return definition.code(context);
      const holds = context.gen.scopeValue("func", { ref: createLookup(values, onCost) });
      context.pass(_`${holds}(${context.data})`);
    },
  };
}

/** @returns the indices of an item and of an equal one before it */
function findDuplicate(items: readonly unknown[], onCost: OnCost): readonly [number, number] | undefined {
  const scalars = new Map<unknown, number>();
  const composites = new Map<string, number>();
  onCost(items.length * stepsPerItem);
  for (const [index, item] of items.entries()) {
    let seen: number | undefined;
    if (isComposite(item)) {
      onCost(sizeOf(item, Infinity) * stepsPerItem);
      const text = canonicalJson(item);
      seen = composites.get(text);
      composites.set(text, index);
    } else {
      seen = scalars.get(item);
      scalars.set(item, index);
    }
    if (seen !== undefined) return [index, seen];
  }
  return undefined;
}

function createLookup(values: readonly unknown[], onCost: OnCost): (value: unknown) => boolean {
  const scalars = new Set(values.filter((value) => !isComposite(value)));
  const composites = new Set(values.filter(isComposite).map(canonicalJson));
  const largest = values.reduce<number>((size, value) => Math.max(size, sizeOf(value, Infinity)), 0);
  return (value) => {
    if (!isComposite(value)) return scalars.has(value);
    if (composites.size === 0) return false;
    const size = sizeOf(value, largest);
    onCost(size * stepsPerItem);
    return size <= largest && composites.has(canonicalJson(value));
  };
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The members, items and characters of a value. Stops counting soon after `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === "string") return 1 + value.length;
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const [key, member] of Object.entries(value)) {
    if (size > most) break;
    size += key.length + sizeOf(member, most - size);
  }
  return size;
}
