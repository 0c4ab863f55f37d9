import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { useBoundedFormats } from "./ajv/bounded-formats.ts";
import { withoutInheritedNames } from "./ajv/inherited-names.ts";
import { useLinearKeywords } from "./ajv/linear-keywords.ts";
import { useExactMultipleOf } from "./ajv/multiple-of.ts";
import { useExactEvaluation } from "./ajv/evaluated.ts";
import type { Draft } from "./draft.ts";
import type { JsonSchema } from "./json-schema.ts";
import { useWorkMeter, WorkExceeded, type WorkMeter } from "./untrusted/work-meter.ts";

/** A validator's finding about a value, in ajv's form, with the schema and the value. */
export type Finding = ErrorObject;

/** A schema that values are checked against. Compiled for the first value. */
export interface Check {
  /** The compiled schema: findings contain parts of it. */
  readonly schema: JsonSchema;
  accepts(value: unknown): boolean;
  /** All faults of a value that was not accepted; only the first one of a very large value. */
  findings(value: unknown): readonly Finding[];
}

/** How a schema is compiled, and in which values every fault is searched. */
export interface CheckPlan {
  readonly draft: Draft;
  readonly schema: JsonSchema;
  readonly options: Options;
  /** It may contain `unevaluatedProperties` or `unevaluatedItems`. */
  readonly asksUnevaluated: boolean;
  /** The largest value in which every fault is searched. */
  readonly maxSize: number;
  /** The deepest value in which every fault is searched. */
  readonly maxDepth: number;
  /** Only for a schema that is not trusted. */
  readonly meter: WorkMeter | undefined;
}

/** The results are ajv's for the schema's draft, for own properties only, with an exact `multipleOf` for decimals. */
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

/** The share of the allowed work for finding every fault: a finding costs more than a result. */
const shareOfFindings = 0.25;

/** Makes a check that compiles the schema for the first value. */
export function compileAtFirstUse(plan: CheckPlan): Check {
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

function compile(plan: CheckPlan): ValidateFunction {
  return withoutInheritedNames(() => compileNow(plan));
}

function compileNow(plan: CheckPlan): ValidateFunction {
  try {
    return createAjv(plan, plan.options).compile(plan.schema);
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // Schemas that describe schemas refer to the schema of their draft.
    return createAjv(plan, { ...plan.options, meta: true }).compile(plan.schema);
  }
}

function createAjv({ draft, meter, asksUnevaluated }: CheckPlan, options: Options): Ajv {
  const ajv = draft.createAjv({ ...verdicts, ...options });
  // Otherwise each schema would record its evaluated properties and items without need.
  if (asksUnevaluated) useExactEvaluation(ajv);
  else ajv.opts.unevaluated = false;
  useBoundedFormats(ajv);
  useExactMultipleOf(ajv);
  useLinearKeywords(ajv, meter?.spend);
  if (meter !== undefined) useWorkMeter(ajv, meter);
  // ajv refuses draft-04's `id` in any place; in later drafts it is an ordinary property.
  ajv.removeKeyword("id");
  return ajv;
}

function isMissingReference(error: unknown): boolean {
  return error instanceof Error && "missingRef" in error;
}

/** The validator exceeded the stack, or the work that it may do. */
function isGivenUp(error: unknown): boolean {
  return error instanceof RangeError || error instanceof WorkExceeded;
}

const givenUp: readonly Finding[] = [
  {
    keyword: "$ref",
    instancePath: "",
    schemaPath: "",
    params: {},
    message: "cannot be checked, because the value or the schema is too large or nested too deeply",
  },
];

function isSmall(value: unknown, { maxSize, maxDepth }: CheckPlan): boolean {
  let left = maxSize;
  const visit = (node: unknown, depth: number): void => {
    if (--left < 0 || typeof node !== "object" || node === null) return;
    if (depth >= maxDepth) left = -1;
    // The indexes of a long array are not listed.
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
