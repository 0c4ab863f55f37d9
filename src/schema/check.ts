import { createHash } from "node:crypto";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { useBoundedFormats } from "./ajv/bounded-formats.ts";
import { checkUntrustedSchema, checkUntrustedSize } from "./untrusted/bounds.ts";
import { withoutInheritedNames } from "./ajv/inherited-names.ts";
import type { JsonSchema } from "./json-schema.ts";
import { useLinearKeywords } from "./ajv/linear-keywords.ts";
import { createLinearPatterns, type LinearPattern } from "./untrusted/linear-pattern.ts";
import { useExactMultipleOf } from "./ajv/multiple-of.ts";
import { useOwnListOfPatternProperties } from "./ajv/pattern-properties.ts";
import { inspectSchema } from "./inspection.ts";
import { type Draft, readDraft } from "./draft.ts";
import { toRegExp } from "./pattern.ts";
import { readDocument } from "./resolve.ts";
import { createWorkMeter, useWorkMeter, WorkExceeded, type WorkMeter, writeWork } from "./untrusted/work-meter.ts";

/** What a validator says against a value, in ajv's words, with the schema and the value at hand. */
export type Finding = ErrorObject;

/** A schema that values are checked against. Compiled when the first value comes. */
export interface Check {
  /** As it was compiled: findings name parts of it. */
  readonly schema: JsonSchema;
  accepts(value: unknown): boolean;
  /** Everything that is wrong with a value which was not accepted; of a very large one, the first thing. */
  findings(value: unknown): readonly Finding[];
}

/** Verdicts are ajv's for the schema's draft, over own properties only, with `multipleOf` exact for decimals. */
const verdicts: Options = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  verbose: true,
  logger: false,
  // The schema was checked against its draft when it was registered.
  validateSchema: false,
  meta: false,
};

/** The largest value, in members and items, of which every fault is found: more cost time and help no model. */
const explainedSize = 2000;
/** Of the work that a check may take, what may go into telling every fault: a finding costs more than a verdict. */
const shareOfFindings = 0.25;
/** So deep a value may be where unions recur: to tell every fault takes every branch at every level, to its power. */
const explainedDepth = 4;

export interface CheckOptions {
  /**
   * False for a schema that comes from elsewhere: it must keep to bounds and refer to itself alone, its patterns run in
   * linear time, and what would take too much work to check is not accepted. @default true
   */
  readonly trusted?: boolean;
  /** False if `format` is only an annotation, as where a schema library checks it by rules of its own. @default true */
  readonly formats?: boolean;
  /** Formats that only this schema has, by name. A check with such formats is not shared. @default none */
  readonly ownFormats?: Readonly<Record<string, (text: string) => boolean>>;
  /**
   * True if the check is for one value, which its owner wrote: every fault is found, however large and deep the value is,
   * and compiling takes less time at the cost of checking. @default false
   */
  readonly once?: boolean;
}

/**
 * Makes the check of a schema. Finds bad keywords, patterns and references now; compiles at first use. Equal schemas
 * share one check for as long as anyone holds it, and no schema can see another's `$id`: each has an ajv of its own.
 * @throws Error that says for a person what is wrong with the schema
 */
export function createCheck(source: JsonSchema, options: CheckOptions = {}): Check {
  try {
    return withoutInheritedNames(() => findOrCreateCheck(source, options));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error("the schema is nested too deeply, or refers to itself without end", { cause: error });
    }
    if (!(error instanceof TypeError)) throw error;
    // ajv's compiler reads keywords where the draft's own schema, which knows their types, does not look.
    throw new Error("the schema contains a keyword with a value of the wrong type", { cause: error });
  }
}

/** @throws Error where it is no schema, whatever its keywords */
function writeSchema(source: JsonSchema): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(source);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("the schema cannot be written as JSON", { cause: error });
  }
  if (text?.startsWith("{") || text === "true" || text === "false") return text;
  throw new Error("the schema is neither an object nor true or false");
}

function findOrCreateCheck(source: JsonSchema, options: CheckOptions): Check {
  const { trusted = true, formats = true, ownFormats, once = false } = options;
  const text = writeSchema(source);
  const kind = `${trusted ? "" : " foreign"}${formats ? "" : " no formats"}${once ? " once" : ""}`;
  const contentHash = createHash("sha256").update(text).digest("base64") + kind;
  const known = ownFormats === undefined ? checks.get(contentHash)?.deref() : undefined;
  if (known !== undefined) return known;

  // A copy: what its owner does to the schema later must not change what is compiled under this hash.
  const copy = JSON.parse(text) as JsonSchema;
  const foreign = trusted ? undefined : createUntrustedPlan();
  if (foreign !== undefined) checkUntrustedSize(text, copy);
  const { draft, schema } = readDraft(copy);
  if (foreign !== undefined) checkUntrustedSchema(schema, foreign.toPattern);
  const { provenByCompiling, unionsRecur } = inspectSchema(draft, schema, text);
  if (foreign !== undefined && typeof schema === "object") {
    writeWork(readDocument(schema).schemas.map(({ node }) => node));
  }
  const asksUnevaluated = text.includes('"unevaluated');
  const plan: Plan = {
    draft,
    schema,
    // Where it is asked what was evaluated, ajv's optimizer drops variables that are read later.
    options: {
      ...(foreign?.options ?? { code: { regExp, optimize: !asksUnevaluated && !once } }),
      ...(!formats && { validateFormats: false }),
      ...(ownFormats !== undefined && { formats: ownFormats }),
    },
    asksUnevaluated,
    maxSize: once ? Infinity : explainedSize,
    maxDepth: unionsRecur && !once ? explainedDepth : Infinity,
    meter: foreign?.meter,
  };
  const check = compileAtFirstUse(plan);
  if (provenByCompiling) check.accepts(null);
  if (ownFormats !== undefined) return check;

  checks.set(contentHash, new WeakRef(check));
  forgotten.register(check, contentHash);
  return check;
}

const checks = new Map<string, WeakRef<Check>>();
const forgotten = new FinalizationRegistry<string>((contentHash) => {
  if (checks.get(contentHash)?.deref() === undefined) checks.delete(contentHash);
});

interface Plan {
  readonly draft: Draft;
  readonly schema: JsonSchema;
  readonly options: Options;
  /** It may hold `unevaluatedProperties` or `unevaluatedItems`. */
  readonly asksUnevaluated: boolean;
  /** The largest value of which every fault is found. */
  readonly maxSize: number;
  /** The deepest value of which every fault is found. */
  readonly maxDepth: number;
  /** Of a schema that is not trusted. */
  readonly meter: WorkMeter | undefined;
}

function compileAtFirstUse(plan: Plan): Check {
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return {
    schema: plan.schema,
    accepts(value) {
      quick ??= compile(plan);
      try {
        plan.meter?.start();
        return quick(value);
      } catch (error) {
        if (isGivenUp(error)) return false;
        throw error;
      }
    },
    findings(value) {
      if (isSmall(value, plan)) {
        thorough ??= compile({ ...plan, options: { ...plan.options, allErrors: true } });
        const findings = findWith(thorough, value, plan.meter, shareOfFindings);
        if (findings !== givenUp) return findings;
      }
      quick ??= compile(plan);
      return findWith(quick, value, plan.meter);
    },
  };
}

function findWith(validate: ValidateFunction, value: unknown, meter?: WorkMeter, share?: number): readonly Finding[] {
  try {
    meter?.start(share);
    return validate(value) ? [] : (validate.errors ?? []);
  } catch (error) {
    if (isGivenUp(error)) return givenUp;
    throw error;
  }
}

function compile(plan: Plan): ValidateFunction {
  return withoutInheritedNames(() => compileNow(plan));
}

function compileNow(plan: Plan): ValidateFunction {
  try {
    return createAjv(plan, plan.options).compile(plan.schema);
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // Schemas that describe schemas point at their draft's own.
    return createAjv(plan, { ...plan.options, meta: true }).compile(plan.schema);
  }
}

/** For a schema that is not trusted: what its checks spend from, and what keeps ajv from multiplying what it compiles. */
function createUntrustedPlan(): { meter: WorkMeter; toPattern: (pattern: string) => LinearPattern; options: Options } {
  const meter = createWorkMeter();
  const toPattern = createLinearPatterns(meter.spend);
  const regExp = Object.assign((pattern: string) => toPattern(pattern), { code: "toPattern" });
  return { meter, toPattern, options: { inlineRefs: false, code: { optimize: false, regExp } } };
}

const regExp = Object.assign(toRegExp, { code: "toRegExp" });

function createAjv({ draft, meter, asksUnevaluated }: Plan, options: Options): Ajv {
  const ajv = draft.createAjv({ ...verdicts, ...options });
  // Else each schema would note which properties and items it has seen, for nobody.
  if (asksUnevaluated) useOwnListOfPatternProperties(ajv);
  else ajv.opts.unevaluated = false;
  useBoundedFormats(ajv);
  useExactMultipleOf(ajv);
  useLinearKeywords(ajv, meter?.spend);
  if (meter !== undefined) useWorkMeter(ajv, meter);
  // ajv refuses draft-04's `id` wherever it stands; in later drafts it is a word like any other.
  ajv.removeKeyword("id");
  return ajv;
}

function isMissingReference(error: unknown): boolean {
  return error instanceof Error && "missingRef" in error;
}

/** The validator ran out of stack, or of the work that it may do. */
function isGivenUp(error: unknown): boolean {
  return error instanceof RangeError || error instanceof WorkExceeded;
}

const givenUp: readonly Finding[] = [
  {
    keyword: "$ref",
    instancePath: "",
    schemaPath: "",
    params: {},
    message: "cannot be checked against the schema: one of them is too large or nested too deeply",
  },
];

function isSmall(value: unknown, { maxSize, maxDepth }: Plan): boolean {
  let left = maxSize;
  const visit = (node: unknown, depth: number): void => {
    if (--left < 0 || typeof node !== "object" || node === null) return;
    if (depth >= maxDepth) left = -1;
    // A long array's indices are not even listed.
    if (Array.isArray(node) && node.length > left) left = -1;
    if (left < 0) return;
    const keys = Object.keys(node);
    if (keys.length > left) left = -1;
    for (const key of keys) {
      // Long keys count: each fault below one repeats it.
      if ((left -= key.length >> 4) < 0) return;
      visit((node as Record<string, unknown>)[key], depth + 1);
    }
  };
  visit(value, 0);
  return left >= 0;
}
