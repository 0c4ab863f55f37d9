import { createHash } from "node:crypto";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { JsonSchema } from "./json-schema.ts";
import { useExactMultipleOf } from "./multiple-of.ts";
import { inspectSchema } from "./schema-inspection.ts";
import { type Draft, readDraft } from "./schema-draft.ts";

/** What a validator says against a value, in ajv's words, with the schema and the value at hand. */
export type Finding = ErrorObject;

/** A schema that values are checked against. Compiled when the first value comes. */
export interface Check {
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

/** The largest value, in members and items, of which every fault is told: the rest cost time and help nobody. */
const explainedSize = 2000;
/** So deep a value may be where unions recur: to tell every fault takes every branch at every level, to its power. */
const explainedDepth = 4;

/**
 * Makes the check of a schema. Finds bad keywords, patterns and references now; compiles at first use. Equal schemas
 * share one check for as long as anyone holds it, and no schema can see another's `$id`: each has an ajv of its own.
 * @throws Error that says for a person what is wrong with the schema
 */
export function createCheck(source: JsonSchema): Check {
  try {
    return findOrCreateCheck(source);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("the schema is nested too deeply, or refers to itself without end", { cause: error });
  }
}

function findOrCreateCheck(source: JsonSchema): Check {
  const text = JSON.stringify(source);
  const contentHash = createHash("sha256").update(text).digest("base64");
  const known = checks.get(contentHash)?.deref();
  if (known !== undefined) return known;

  // A copy: what its owner does to the schema later must not change what is compiled under this hash.
  const { draft, schema } = readDraft(JSON.parse(text) as JsonSchema);
  const { provenByCompiling, unicodePatterns, unionsRecur } = inspectSchema(draft, schema);
  const maxDepth = unionsRecur ? explainedDepth : Infinity;
  const check = compileAtFirstUse(draft, schema, { unicodeRegExp: unicodePatterns }, maxDepth);
  if (provenByCompiling) check.accepts(null);

  checks.set(contentHash, new WeakRef(check));
  forgotten.register(check, contentHash);
  return check;
}

const checks = new Map<string, WeakRef<Check>>();
const forgotten = new FinalizationRegistry<string>((contentHash) => {
  if (checks.get(contentHash)?.deref() === undefined) checks.delete(contentHash);
});

/** @param maxDepth the deepest value of which every fault is told */
function compileAtFirstUse(draft: Draft, schema: JsonSchema, options: Options, maxDepth: number): Check {
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return {
    accepts(value) {
      quick ??= compile(draft, schema, options);
      try {
        return quick(value);
      } catch (error) {
        if (error instanceof RangeError) return false;
        throw error;
      }
    },
    findings(value) {
      quick ??= compile(draft, schema, options);
      let validate = quick;
      if (isSmall(value, maxDepth)) {
        thorough ??= compile(draft, schema, { ...options, allErrors: true });
        validate = thorough;
      }
      try {
        return validate(value) ? [] : (validate.errors ?? []);
      } catch (error) {
        if (error instanceof RangeError) return [overflow];
        throw error;
      }
    },
  };
}

function compile(draft: Draft, schema: JsonSchema, options: Options): ValidateFunction {
  try {
    return createAjv(draft, options).compile(schema);
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // Schemas that describe schemas point at their draft's own.
    return createAjv(draft, { ...options, meta: true }).compile(schema);
  }
}

function createAjv(draft: Draft, options: Options): Ajv {
  const ajv = draft.createAjv({ ...verdicts, ...options });
  addFormats.default(ajv);
  useExactMultipleOf(ajv);
  // ajv refuses draft-04's `id` wherever it stands; in later drafts it is a word like any other.
  ajv.removeKeyword("id");
  return ajv;
}

function isMissingReference(error: unknown): boolean {
  return error instanceof Error && "missingRef" in error;
}

/** The validator ran out of stack: the schema refers to itself without end, or the value is nested beyond reason. */
const overflow: Finding = {
  keyword: "$ref",
  instancePath: "",
  schemaPath: "",
  params: {},
  message: "cannot be checked against the schema: one of them is nested too deeply",
};

function isSmall(value: unknown, maxDepth: number): boolean {
  let left = explainedSize;
  const visit = (node: unknown, depth: number): void => {
    if (--left < 0 || typeof node !== "object" || node === null) return;
    if (depth >= maxDepth) left = -1;
    for (const [key, member] of Object.entries(node)) {
      // Long keys count: each fault below one repeats it.
      left -= key.length >> 4;
      if (left < 0) return;
      visit(member, depth + 1);
    }
  };
  visit(value, 0);
  return left >= 0;
}
