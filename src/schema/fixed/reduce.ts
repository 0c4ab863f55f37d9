import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject, listOf, setOwn } from "../../json/object.ts";
import { keywords } from "../keywords.ts";
import { toRegExp } from "../pattern.ts";
import { type FixedProperties, mayBe, mentions, strip } from "./fixed-properties.ts";
import { isEmpty, joinInto } from "./join-into.ts";

/** What a schema asks of the rest of an object, if some of its properties are fixed. */
export type Reduced = Possible | Impossible;

interface Possible {
  readonly node: JsonObject;
  /** It asks the same. Otherwise it asks less: what it does not ask depends on values that are not known. */
  readonly isExact: boolean;
}

/** No object is valid, for a reason that names no value. */
export interface Impossible {
  readonly impossible: string;
}

/** What the reduction needs of the whole schema, which is in 2020-12 with bare names as references. */
export interface ReduceOptions {
  readonly fixed: FixedProperties;
  /** Whether a schema of the source accepts a value. */
  accepts(schema: unknown, value: unknown): boolean;
  /** Reduces a definition, once. @returns a reference to it */
  reduceDefinition(name: string): Reduced;
  /** The JSON of a schema with that of every definition that it refers to. */
  wholeText(schema: unknown): string;
  /** Notes a keyword that is left out. */
  onDropped(keyword: string): void;
  /** Notes that the schema knows less of which properties were evaluated. */
  onLessEvaluated(): void;
  /** `unevaluatedProperties` is left out, and what is always valid may not be simplified. */
  readonly evaluation: "unused" | "used" | "lost";
}

export function isImpossible(reduced: Reduced): reduced is Impossible {
  return "impossible" in reduced;
}

const anything: Possible = { node: {}, isExact: true };

/** A schema that is asked of the object, without the fixed properties. */
export function reduce(source: JsonObject, options: ReduceOptions): Reduced {
  const { fixed, accepts, reduceDefinition, onDropped, onLessEvaluated, evaluation } = options;
  const written: JsonObject = {};
  /** What is asked beside the keywords that are written. */
  const also: JsonObject[] = [];
  const required = new Set<string>();
  let isExact = true;
  let keepsAdditional = true;
  for (const [keyword, value] of Object.entries(source)) {
    const problem = read(keyword, value);
    if (problem !== undefined) return { impossible: problem };
  }
  if (!keepsAdditional) delete written["additionalProperties"];
  if (required.size > 0) written["required"] = [...new Set([...listOf<string>(written["required"]), ...required])];
  const rest = also.filter((node) => !isEmpty(node) && !joinInto(written, node));
  if (rest.length > 0) written["allOf"] = rest;
  return { node: written, isExact };

  /** @returns why nothing is valid */
  function read(keyword: string, value: unknown): string | undefined {
    switch (keyword) {
      case "$ref":
        return add(reduceDefinition(String(value)), (node) => {
          if (typeof node["$ref"] === "string" && written["$ref"] === undefined) written["$ref"] = node["$ref"];
          else also.push(node);
        });
      case "properties":
        return readProperties(value as JsonObject);
      case "patternProperties":
        return readPatterns(value as JsonObject);
      case "additionalProperties":
        return readAdditional(value);
      case "unevaluatedProperties":
        // Whether a fixed property is evaluated may depend on what is not known.
        if (namesLeft().length > 0) isExact = false;
        if (evaluation !== "lost") written[keyword] = value;
        else leaveOut(keyword);
        return undefined;
      case "propertyNames":
        return readNames(value);
      case "required": {
        const rest = listOf<string>(value).filter((name) => !fixed.has(name));
        if (rest.length > 0) written[keyword] = rest;
        return undefined;
      }
      case "dependentRequired":
        return readDependentNames(value as Record<string, readonly string[]>);
      case "dependentSchemas":
        return readDependentSchemas(value as Record<string, JsonObject>);
      case "minProperties":
        if (Number(value) > fixed.size) written[keyword] = Number(value) - fixed.size;
        return undefined;
      case "maxProperties":
        if (Number(value) < fixed.size) return "the schema allows fewer properties than are bound";
        written[keyword] = Number(value) - fixed.size;
        return undefined;
      case "enum":
      case "const":
        return readValues(keyword === "enum" ? listOf<unknown>(value) : [value]);
      case "allOf": {
        for (const member of listOf(value)) {
          const problem = add(reduce(member, options), (node) => also.push(node));
          if (problem !== undefined) return problem;
        }
        return undefined;
      }
      case "anyOf":
      case "oneOf":
        return readUnion(keyword, listOf(value));
      case "not":
        return readNot(value as JsonObject);
      case "if":
        return readCondition(value as JsonObject);
      case "then":
      case "else":
        return undefined;
      case "default":
      case "example":
        written[keyword] = strip(fixed, value);
        return undefined;
      case "examples":
        written[keyword] = Array.isArray(value) ? value.map((each) => strip(fixed, each)) : value;
        return undefined;
      default:
        return keep(keyword, value);
    }
  }

  function leaveOut(keyword: string): void {
    isExact = false;
    onDropped(keyword);
  }

  function add(reduced: Reduced, write: (node: JsonObject) => void): string | undefined {
    if (isImpossible(reduced)) return reduced.impossible;
    isExact &&= reduced.isExact;
    write(reduced.node);
    return undefined;
  }

  /** @returns why the property is never valid; whether it is may be unknown */
  function judge(name: string, schema: unknown): string | undefined {
    const known = fixed.get(name);
    if (known !== undefined) {
      return accepts(schema, known.value) ? undefined : `the value bound to ${name} does not fit its schema`;
    }
    if (canonicalJson(schema) === '{"not":{}}') return `the schema does not allow ${name}`;
    if (!asksNothing(schema)) isExact = false;
    return undefined;
  }

  function judgeAll(names: readonly string[], schemaOf: (name: string) => unknown): string | undefined {
    return names.map((name) => judge(name, schemaOf(name))).find((problem) => problem !== undefined);
  }

  function readProperties(properties: JsonObject): string | undefined {
    const rest: JsonObject = {};
    for (const [name, schema] of Object.entries(properties)) if (!fixed.has(name)) setOwn(rest, name, schema);
    if (!isEmpty(rest)) written["properties"] = rest;
    const names = [...fixed.keys()].filter((name) => Object.hasOwn(properties, name));
    return judgeAll(names, (name) => properties[name]);
  }

  function readPatterns(patterns: JsonObject): string | undefined {
    const rest: JsonObject = {};
    for (const [pattern, schema] of Object.entries(patterns)) {
      const problem = judgeAll(namesMatching(pattern), () => schema);
      if (problem !== undefined) return problem;
      if (!mentions(fixed, pattern)) {
        setOwn(rest, pattern, schema);
      } else if (!isPatternOfOne(pattern)) {
        // Without it, what it matched would be asked what is asked of all other properties.
        keepsAdditional = false;
        onLessEvaluated();
        leaveOut("patternProperties");
      }
    }
    if (!isEmpty(rest)) written["patternProperties"] = rest;
    return undefined;
  }

  /** It matches one of the names and nothing else. */
  function isPatternOfOne(pattern: string): boolean {
    return [...fixed.keys()].some((name) => /^\w+$/.test(name) && pattern === `^${name}$`);
  }

  function namesMatching(pattern: string): string[] {
    const test = toRegExp(pattern);
    return [...fixed.keys()].filter((name) => test.test(name));
  }

  /** The fixed properties that no keyword beside `additionalProperties` names. */
  function namesLeft(): string[] {
    const { properties, patternProperties } = source;
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    return [...fixed.keys()].filter(
      (name) =>
        !(isJsonObject(properties) && Object.hasOwn(properties, name)) &&
        !patterns.some((pattern) => toRegExp(pattern).test(name)),
    );
  }

  function readAdditional(value: unknown): string | undefined {
    written["additionalProperties"] = value;
    const names = namesLeft();
    if (value === true || names.length === 0) return undefined;
    if (value === false) return `the schema does not allow ${names[0]}`;
    return judgeAll(names, () => value);
  }

  function readNames(schema: unknown): string | undefined {
    const refused = [...fixed.keys()].find((name) => !accepts(schema, name));
    if (refused !== undefined) return `the schema does not allow ${refused}`;
    if (!mentions(fixed, options.wholeText(schema))) {
      written["propertyNames"] = schema;
    } else if (isJsonObject(schema) && Array.isArray(schema["enum"])) {
      const others = schema["enum"].filter((name) => !fixed.has(String(name)));
      if (others.length === 0) written["maxProperties"] = 0;
      else also.push({ propertyNames: { enum: others } });
      isExact &&= Object.keys(schema).length === 1;
    } else {
      leaveOut("propertyNames");
    }
    return undefined;
  }

  function readDependentNames(needs: Readonly<Record<string, readonly string[]>>): string | undefined {
    const rest: JsonObject = {};
    for (const [name, needed] of Object.entries(needs)) {
      const others = needed.filter((each) => !fixed.has(each));
      if (fixed.has(name)) for (const each of others) required.add(each);
      else if (others.length > 0) setOwn(rest, name, others);
    }
    if (!isEmpty(rest)) written["dependentRequired"] = rest;
    return undefined;
  }

  function readDependentSchemas(schemas: Readonly<Record<string, JsonObject>>): string | undefined {
    const rest: JsonObject = {};
    for (const [name, schema] of Object.entries(schemas)) {
      const reduced = reduce(schema, options);
      if (fixed.has(name)) {
        const problem = add(reduced, (node) => also.push(node));
        if (problem !== undefined) return problem;
      } else if (isImpossible(reduced)) {
        setOwn(rest, name, { not: {} });
      } else {
        isExact &&= reduced.isExact;
        if (!isEmpty(reduced.node)) setOwn(rest, name, reduced.node);
      }
    }
    if (!isEmpty(rest)) written["dependentSchemas"] = rest;
    return undefined;
  }

  function readValues(values: readonly unknown[]): string | undefined {
    const left = values.filter((value) => mayBe(fixed, value)).map((value) => strip(fixed, value));
    if (left.length === 0) return "none of the values that the schema lists contains the bound arguments";
    if ([...fixed.values()].includes(undefined)) isExact = false;
    also.push({ enum: [...new Map(left.map((value) => [canonicalJson(value), value])).values()] });
    return undefined;
  }

  function readUnion(keyword: "anyOf" | "oneOf", branches: readonly JsonObject[]): string | undefined {
    const reduced = branches.map((branch) => reduce(branch, options));
    const left = reduced.filter((branch): branch is Possible => !isImpossible(branch));
    const [first] = left;
    if (first === undefined) return reduced.find(isImpossible)?.impossible ?? "the schema accepts nothing";
    const areExact = left.every((branch) => branch.isExact);
    isExact &&= areExact;
    const nodes = left.map(({ node }) => node);
    if (nodes.length === 1) also.push(nodes[0]!);
    // Branches that ask less may both be valid for what one of them was.
    else if (keyword === "oneOf" && areExact) also.push({ oneOf: nodes });
    else if (evaluation !== "unused" || !nodes.some(isEmpty)) also.push({ anyOf: nodes });
    return undefined;
  }

  function readNot(schema: JsonObject): string | undefined {
    const reduced = reduce(schema, options);
    if (isImpossible(reduced)) return undefined;
    if (!reduced.isExact) {
      leaveOut("not");
    } else if (isEmpty(reduced.node)) {
      return "the schema does not allow what is bound";
    } else {
      also.push({ not: reduced.node });
    }
    return undefined;
  }

  function readCondition(schema: JsonObject): string | undefined {
    const branch = (keyword: "then" | "else"): Reduced =>
      isJsonObject(source[keyword]) ? reduce(source[keyword], options) : anything;
    const condition = reduce(schema, options);
    const [yes, no] = [branch("then"), branch("else")];
    if (isImpossible(condition)) return add(no, (node) => also.push(node));
    if (condition.isExact && isEmpty(condition.node)) return add(yes, (node) => also.push(node));
    if (isImpossible(yes) && isImpossible(no)) return yes.impossible;
    if (condition.isExact) {
      isExact &&= (isImpossible(yes) || yes.isExact) && (isImpossible(no) || no.isExact);
      const write = (reduced: Reduced): JsonObject => (isImpossible(reduced) ? { not: {} } : reduced.node);
      const conditional: JsonObject = { if: condition.node, else: write(no) };
      setOwn(conditional, "then", write(yes));
      also.push(conditional);
      return undefined;
    }
    onLessEvaluated();
    leaveOut("if");
    const either = [yes, no].flatMap((reduced) => (isImpossible(reduced) ? [] : [reduced.node]));
    if (!either.some(isEmpty)) also.push(either.length === 1 ? either[0]! : { anyOf: either });
    return undefined;
  }

  /** Everything else asks nothing of the object's properties. What is not JSON Schema may name them all the same. */
  function keep(keyword: string, value: unknown): undefined {
    if (keywords.has(keyword) || !mentions(fixed, value)) written[keyword] = value;
    else if (Array.isArray(value)) written[keyword] = value.filter((each) => !mentions(fixed, each));
  }
}

const words = new Set(["title", "description", "default", "examples"]);

function asksNothing(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).every((keyword) => words.has(keyword)));
}
