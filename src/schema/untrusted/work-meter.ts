import { _, type Ajv, type KeywordCxt, Name } from "ajv";
import type { JsonObject } from "../../json/object.ts";
import { keywordsWhere } from "../keywords.ts";
import { subschemas } from "../walk.ts";

/**
 * The work that a check of one value against a schema that is not trusted may take, in steps of about 10 ns. Branches
 * of the schema and characters in patterns take steps. Counted, not timed, so that the same value gets the same result
 * on any machine. A megabyte of real answers takes a third of it.
 */
const maxSteps = 1_500_000;

/** To record the findings of a branch that need not match. */
const stepsToFail = 20;

/** The check took more work than is allowed. */
export class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
}

/** To list the keys of a large object. */
const stepsPerKey = 20;

export interface WorkMeter {
  /** Called before each value. @param share the part of the allowed work @default 1 */
  start(share?: number): void;
  /** @throws WorkExceeded */
  spend(steps: number): void;
}

export function createWorkMeter(): WorkMeter {
  let left = maxSteps;
  return {
    start(share = 1) {
      left = maxSteps * share;
    },
    spend(steps) {
      left -= steps;
      if (left < 0) throw new WorkExceeded("the check needs more work than is allowed");
    },
  };
}

/** Not a keyword of JSON Schema. Written into schemas after they were checked against their draft. */
const keyword = "toolhost:work";

/** Keywords that take time in proportion to the members of an object or the characters of a string. */
const scanning = keywordsWhere(({ marks }) => marks.has("scans"));

/** Their schemas may fail any number of times, even for an accepted value, and for each of its members. */
const branching = keywordsWhere(({ marks }) => marks.has("fails"));

/** The values that were written here: a foreign schema may contain the keyword too. */
const written = new WeakSet<object>();

/** Writes into each schema the cost of checking a value against it, without its subschemas. */
export function writeWork(schemas: readonly JsonObject[]): void {
  // If one of these occurs anywhere, each schema passes on the names of its evaluated properties.
  const merges = schemas.some((schema) => "unevaluatedProperties" in schema || "unevaluatedItems" in schema);
  const branches = new Set<unknown>();
  for (const schema of schemas) {
    for (const child of subschemas(schema)) {
      if (branching.has(child.keyword)) branches.add(child.schema);
    }
  }
  for (const schema of schemas) {
    const keywords = Object.keys(schema);
    if (keywords.length === 0) continue; // `{}` costs nothing, and must stay empty to be seen as such
    let steps = branches.has(schema) ? stepsToFail : 3;
    for (const name of keywords) steps += stepsOf(name, schema[name]);
    const scans = merges || keywords.some((name) => scanning.has(name));
    const refers = "$ref" in schema || "$recursiveRef" in schema || "$dynamicRef" in schema;
    const work = { steps, scans, refers };
    schema[keyword] = work;
    written.add(work);
  }
}

function stepsOf(name: string, value: unknown): number {
  if (name === "multipleOf") return 100;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 1;
}

/** The variable in ajv's code that counts the findings. */
const errorCount = new Name("errors");

/** Makes ajv's code count its work before every other keyword of a schema. */
export function useWorkMeter(ajv: Ajv, meter: WorkMeter): void {
  const scan = (value: unknown): void => {
    if (typeof value === "string") meter.spend(value.length >> 3);
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      meter.spend(Object.keys(value).length * stepsPerKey);
    }
  };
  ajv.addKeyword({
    keyword,
    schemaType: "object",
    code({ gen, schema, data }: KeywordCxt) {
      gen.code(_`${gen.scopeValue("func", { ref: meter.spend })}(${schema.steps})`);
      // The findings of a reference are added to a copy of all earlier findings, in `contains` once for each item.
      if (schema.refers === true) gen.code(_`${gen.scopeValue("func", { ref: meter.spend })}(${errorCount} >> 2)`);
      if (schema.scans === true) gen.code(_`${gen.scopeValue("func", { ref: scan })}(${data})`);
    },
  });
  refuseUnmetered(ajv);
  // ajv checks one group of keywords after the other, and stops after a failure.
  const { rules } = ajv.RULES;
  for (const group of rules) {
    const index = group.rules.findIndex((rule) => rule.keyword === keyword);
    if (index < 0) continue;
    rules.unshift({ rules: group.rules.splice(index, 1) });
    return;
  }
}

/** A schema that `writeWork` did not get must not run without a count. */
function refuseUnmetered(ajv: Ajv): void {
  for (const rule of [...ajv.RULES.rules, ajv.RULES.post].flatMap((group) => group.rules)) {
    const { definition } = rule;
    if (!("code" in definition)) continue;
    rule.definition = {
      ...definition,
      code(context: KeywordCxt, type?: string) {
        const work: unknown = context.parentSchema[keyword];
        if (!isObject(work) || !written.has(work))
          throw new Error("the schema contains a reference that cannot be followed");
        definition.code(context, type);
      },
    };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
