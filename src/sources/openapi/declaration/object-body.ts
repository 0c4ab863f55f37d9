import { isJsonObject, type JsonObject, ownMember } from "../../../json/object.ts";
import { limitResolve, type Resolve } from "../document/resolve.ts";
import { readBodyRule } from "./body-rule.ts";

/** The properties of a body that is an object, those of the members of its `allOf` included. */
export interface ObjectBody {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** Schema of the properties that have no name in the document; undefined if there are none. */
  readonly others: JsonObject | true | undefined;
  /** Further conditions on the named properties, such as `anyOf` with several `required`. */
  readonly rules: readonly JsonObject[];
}

const maxDepth = 16;
const ruleKeywords = new Set(["anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired"]);

/**
 * @returns undefined if the properties cannot be arguments: the schema is not an object, is a choice between objects
 *   with properties of their own, or has too many parts
 */
export function readObjectBody(schema: unknown, resolveAny: Resolve): ObjectBody | undefined {
  const resolve = limitResolve(resolveAny);
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  const rules: JsonObject[] = [];
  let others: ObjectBody["others"];
  const isObject = join(schema, 0) && properties.size > 0;
  const keepsNames = rules.every((rule) => readBodyRule(rule, resolve, (name) => (properties.has(name) ? name : null)));
  return isObject && keepsNames ? { properties, required, others, rules } : undefined;

  function join(part: unknown, depth: number): boolean {
    const node = resolve(part);
    if (node === undefined || depth > maxDepth || "patternProperties" in node) return false;
    const { type, properties: own, additionalProperties, allOf } = node;
    if (type !== undefined && !isObjectType(type)) return false;
    if (Array.isArray(allOf) && !allOf.every((member) => join(member, depth + 1))) return false;
    if (isJsonObject(own)) {
      for (const [name, property] of Object.entries(own)) {
        if (ownMember(property, "required") === true) required.add(name);
        properties.set(name, properties.has(name) ? { allOf: [properties.get(name), property] } : property);
      }
    }
    for (const name of Array.isArray(node["required"]) ? node["required"] : []) {
      if (typeof name === "string") required.add(name);
    }
    if (additionalProperties === true || isJsonObject(additionalProperties)) {
      others = others === undefined ? additionalProperties : true;
    }
    const rule = ruleOf(node);
    if (rule !== undefined) rules.push(rule);
    return true;
  }
}

/** A body that may be null too is sent as an object, or left out. */
function isObjectType(type: unknown): boolean {
  return type === "object" || (Array.isArray(type) && type.every((each) => each === "object" || each === "null"));
}

function ruleOf(node: JsonObject): JsonObject | undefined {
  const given = Object.entries(node).filter(([keyword]) => ruleKeywords.has(keyword));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
