import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Finding } from "../check.ts";
import { settleTags, type TaggedBranch } from "./choice.ts";
import { createReach } from "./reach.ts";
import { type Pins, pinsOf } from "./tags.ts";

/** Findings in ajv's order, without those that turned out to be noise. */
type Sifted = (Finding | undefined)[];

/** How deep `else` may contain the next `if`. */
const maxBranches = 100;

/**
 * A value that fails `then` or `else` has the findings of that schema and one more that says so, which is dropped. If
 * the fault is in the member that `if` looks at, the branch was chosen by it: that finding alone is kept.
 * @param findings as they came; `sifted` are the same where the unions are settled
 * @param root the schema that references lead into
 */
export function settleConditions(findings: readonly Finding[], sifted: Sifted, root: JsonSchema): void {
  if (!findings.some(({ keyword }) => keyword === "if")) return;
  const places = placesOf(sifted);
  // From the last to the first: ajv writes what is inside a branch before what is around it.
  for (let index = findings.length - 1; index >= 0; index--) {
    const condition = sifted[index];
    if (condition?.keyword === "if") settleCondition(condition, index, findings, sifted, places, root);
  }
}

function settleCondition(
  condition: Finding,
  index: number,
  findings: readonly Finding[],
  sifted: Sifted,
  places: ReadonlyMap<string, readonly number[]>,
  root: JsonSchema,
): void {
  const { parentSchema, params, instancePath, data } = condition;
  if (!isJsonObject(parentSchema)) return;
  const isOf = createReach(parentSchema[String(params["failingKeyword"])], data, instancePath, root);
  const own = new Set(findingsBefore(index, instancePath, findings).filter((at) => isOf(findings[at]!)));
  if (own.size === 0) return;
  sifted[index] = undefined;

  const { branches, conditions } = branchesOf(
    parentSchema,
    root,
    [...own].flatMap((at) => sifted[at] ?? []),
  );
  const tags = new Set(conditions.flatMap((pins) => [...pins.keys()]));
  const isSaid = [...tags].some((place) =>
    (places.get(instancePath + place) ?? []).some((at) => sifted[at] !== undefined && !own.has(at) && at !== index),
  );
  const { fault } = isSaid ? { fault: undefined } : settleTags(condition, branches);
  if (!isSaid && fault === undefined) return;
  for (const at of own) sifted[at] = undefined;
  sifted[index] = fault;
}

interface Chain {
  readonly branches: readonly TaggedBranch[];
  /** The values that each `if` requires. */
  readonly conditions: readonly Pins[];
}

/** `if`, `then`, `else` as the branches of a union: the values that `if` requires are the tag of `then`. */
function branchesOf(schema: JsonObject, root: JsonSchema, own: readonly Finding[]): Chain {
  const branches: TaggedBranch[] = [];
  const conditions: Pins[] = [];
  let node: unknown = schema;
  while (isJsonObject(node) && Object.hasOwn(node, "if") && conditions.length < maxBranches) {
    const condition: unknown = node["if"];
    const pins = pinsOf(condition, root);
    conditions.push(pins);
    branches.push({ pins, isRequired: (_parent, key) => requires(condition, key) });
    node = node["else"];
  }
  // Without a last branch any other value matches; with `false` none does.
  if (node !== false) {
    const isRequired = (parent: string, key: string): boolean =>
      own.some(
        ({ keyword, instancePath, params }) =>
          keyword === "required" && instancePath === parent && params["missingProperty"] === key,
      );
    branches.push({ pins: pinsOf(node, root), isRequired });
  }
  return { branches, conditions };
}

function requires(condition: unknown, key: string): boolean {
  return isJsonObject(condition) && Array.isArray(condition["required"]) && condition["required"].includes(key);
}

/** ajv writes a branch's findings right before its own, and of no other value in between. */
function findingsBefore(index: number, instancePath: string, findings: readonly Finding[]): number[] {
  const near: number[] = [];
  for (let at = index - 1; at >= 0; at--) {
    const path = findings[at]!.instancePath;
    if (path !== instancePath && !path.startsWith(`${instancePath}/`)) break;
    near.push(at);
  }
  return near;
}

/** The findings by their place. The place of a missing member is the place that it would have. */
function placesOf(sifted: Sifted): Map<string, number[]> {
  const places = new Map<string, number[]>();
  sifted.forEach((finding, at) => {
    if (finding === undefined || finding.keyword === "if") return;
    const { keyword, instancePath, params } = finding;
    const place = keyword === "required" ? instancePath + pointerToken(params["missingProperty"]) : instancePath;
    const known = places.get(place);
    if (known === undefined) places.set(place, [at]);
    else known.push(at);
  });
  return places;
}
