import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { freeName, lastPart } from "../../../schema/definition-names.ts";
import type { FindSchema } from "../document/find-schema.ts";
import { createResolve, maxHops } from "../document/resolve.ts";
import { convertSchema } from "./convert-schema.ts";
import { createIsOtherSide, type Side } from "./other-side.ts";

/** A schema that others refer to, as JSON text, and the definitions that it refers to itself. */
export interface Definition {
  readonly text: string;
  readonly reaches: readonly string[];
}

export interface Definitions {
  /** Converts a schema of an operation; `reaches` are the definitions that it refers to. */
  convert(schema: unknown, reaches: Set<string>): JsonObject | boolean;
  /** Whether a property is only for the other side of an exchange. */
  isOtherSide(property: unknown): boolean;
  /** By name, each once, complete after the last `convert`. */
  readonly all: ReadonlyMap<string, Definition>;
  /** The patterns that are left out, each with the reason. */
  readonly droppedPatterns: ReadonlyMap<string, string>;
}

export interface DefinitionOptions {
  readonly side: Side;
  /** OpenAPI 3.1 and later: members next to a `$ref` have an effect. */
  readonly keepsSiblings: boolean;
  /** Gets a reference that leads to no schema, or a dynamic one that leads to several, once. */
  onDangling(reference: string, to: "no schema" | "several schemas"): void;
  /** Gets the `$schema` of each schema that has one. */
  onDialect(uri: string): void;
}

/** The schemas of one side of a document that its operations reach, each converted once. */
export function createDefinitions(find: FindSchema, options: DefinitionOptions): Definitions {
  const { side, keepsSiblings, onDangling, onDialect } = options;
  const all = new Map<string, Definition>();
  const droppedPatterns = new Map<string, string>();
  const isOtherSide = createIsOtherSide(side, createResolve(find));
  const names = new Map<string, string | undefined>();
  const ambiguous = new Set<string>();
  const taken = new Set<string>();
  const waiting: (readonly [name: string, schema: unknown])[] = [];

  function nameOf(reference: string, isDynamic: boolean): string | undefined {
    if (isDynamic && !find.isStatic(reference)) {
      if (!ambiguous.has(reference)) onDangling(reference, "several schemas");
      ambiguous.add(reference);
      return undefined;
    }
    if (names.has(reference)) return names.get(reference);
    const schema = find(reference);
    const isFound = (isJsonObject(schema) || typeof schema === "boolean") && !isCircle(reference);
    const name = isFound ? nameFor(reference) : undefined;
    names.set(reference, name);
    if (name === undefined) onDangling(reference, "no schema");
    else waiting.push([name, schema]);
    return name;
  }

  function nameFor(reference: string): string {
    const last = lastPart(reference);
    // Names are keys of objects that are cloned and assembled, which `__proto__` must not be.
    const name = freeName(last === "" || last === "__proto__" ? "schema" : last, taken);
    taken.add(name);
    return name;
  }

  /** A chain of references alone that does not end soon: any value is accepted there. */
  function isCircle(reference: string): boolean {
    let next: unknown = reference;
    for (let hops = 0; typeof next === "string"; hops++) {
      if (hops > maxHops) return true;
      const schema = find(next);
      next = isJsonObject(schema) ? (schema["$ref"] ?? schema["$dynamicRef"]) : undefined;
    }
    return false;
  }

  function convertOne(schema: unknown, reaches: Set<string>): JsonObject | boolean {
    return convertSchema(schema, {
      isOtherSide,
      keepsSiblings,
      onDialect,
      onDropped: (pattern, reason) => void droppedPatterns.set(pattern, reason),
      nameOf(reference, isDynamic) {
        const name = nameOf(reference, isDynamic);
        if (name !== undefined) reaches.add(name);
        return name;
      },
    });
  }

  return {
    all,
    droppedPatterns,
    isOtherSide,
    convert(schema, reaches) {
      const converted = convertOne(schema, reaches);
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const inner = new Set<string>();
        all.set(next[0], { text: JSON.stringify(convertOne(next[1], inner)), reaches: [...inner] });
      }
      return converted;
    },
  };
}
