import { createHash } from "node:crypto";
import type { Options } from "ajv";
import { withoutInheritedNames } from "./ajv/inherited-names.ts";
import { type Check, type CheckPlan, compileAtFirstUse } from "./compiled-check.ts";
import { readDraft } from "./draft.ts";
import { inspectSchema } from "./inspection.ts";
import type { JsonSchema } from "./json-schema.ts";
import { toRegExp } from "./pattern.ts";
import { readDocument } from "./resolve.ts";
import { checkUntrustedSchema, checkUntrustedSize } from "./untrusted/bounds.ts";
import { createLinearPatterns, type LinearPattern } from "./untrusted/linear-pattern.ts";
import { createWorkMeter, type WorkMeter, writeWork } from "./untrusted/work-meter.ts";

export type { Check, Finding } from "./compiled-check.ts";

/**
 * The largest value, in members and items, in which every fault is searched: more faults cost time and do not help a
 * model.
 */
const explainedSize = 2000;
/** The maximum depth of a value if unions recur: the work to find every fault grows exponentially with the depth. */
const explainedDepth = 4;

export interface CheckOptions {
  /**
   * False for a foreign schema: its size is limited, it may refer only to itself, its patterns run in linear time, and
   * a value that would take too much work to check is not accepted. @default true
   */
  readonly trusted?: boolean;
  /** False if `format` is only an annotation, because a schema library checks it by its own rules. @default true */
  readonly formats?: boolean;
  /** Formats that only this schema has, by name. A check with such formats is not shared. @default none */
  readonly ownFormats?: Readonly<Record<string, (text: string) => boolean>>;
  /**
   * True if the check is for one value, which its owner wrote: every fault is found, however large and deep the value
   * is, and compiling takes less time at the cost of checking. @default false
   */
  readonly once?: boolean;
}

/**
 * Makes the check of a schema. Finds invalid keywords, patterns and references now; compiles at first use. Equal
 * schemas share one check as long as it is referenced, and no schema sees another's `$id`, because each has its own
 * ajv. @throws Error that describes the fault for a person
 */
export function createCheck(source: JsonSchema, options: CheckOptions = {}): Check {
  try {
    return withoutInheritedNames(() => findOrCreateCheck(source, options));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error("the schema is nested too deeply, or refers to itself without end", { cause: error });
    }
    if (!(error instanceof TypeError)) throw error;
    // ajv's compiler also reads keywords in places that the draft's own schema, which checks their types, does not
    // check.
    throw new Error("the schema contains a keyword with a value of the wrong type", { cause: error });
  }
}

/** @throws Error if it is not a schema: neither an object nor a boolean */
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

  // A copy: later changes of the schema by its owner must not change the check with this hash.
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
  const plan: CheckPlan = {
    draft,
    schema,
    // With `unevaluated…` keywords, ajv's optimizer removes variables that are read later.
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

/**
 * For a schema that is not trusted: the budget of its checks, and an option that prevents ajv from inlining references.
 */
function createUntrustedPlan(): { meter: WorkMeter; toPattern: (pattern: string) => LinearPattern; options: Options } {
  const meter = createWorkMeter();
  const toPattern = createLinearPatterns(meter.spend);
  const regExp = Object.assign((pattern: string) => toPattern(pattern), { code: "toPattern" });
  return { meter, toPattern, options: { inlineRefs: false, code: { optimize: false, regExp } } };
}

const regExp = Object.assign(toRegExp, { code: "toRegExp" });
