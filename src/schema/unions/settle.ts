import { isJsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Finding } from "../check.ts";
import { settleConditions } from "./conditions.ts";
import { branchOfKeys } from "./own-keys.ts";
import { createReach } from "./reach.ts";
import { settleTags, type TaggedBranch } from "./choice.ts";
import { pinsOf } from "./tags.ts";

/** Findings in ajv's order, without those that turned out to be noise. */
type Sifted = (Finding | undefined)[];

/** One of a union's alternatives, with the indexes of the findings about the value if this one was meant. */
interface Branch extends TaggedBranch {
  readonly schema: unknown;
  readonly findings: readonly number[];
}

/**
 * A value that fails `anyOf` or `oneOf` fails each branch, so the findings contain those of every branch. Keeps those
 * of the branch that was meant: the one whose type and tags the value has. A tag is a member that the branches restrict
 * with `const` or `enum`; other faults do not show which branch was meant. If no branch has the tag, one finding names
 * all tags, and likewise all types. Without tags, the keys decide that only one branch requires and knows. If several
 * branches of a `oneOf` fit, only that is reported. `if`, `then` and `else` are such a union too.
 * @param root the schema that references lead into
 */
export function settleUnions(findings: readonly Finding[], root: JsonSchema = true): readonly Finding[] {
  const sifted: Sifted = [...findings];
  for (const [index, finding] of findings.entries()) {
    if (finding.keyword === "anyOf" || finding.keyword === "oneOf") settleUnion(finding, index, sifted, root);
  }
  settleConditions(findings, sifted, root);
  return sifted.filter((finding) => finding !== undefined);
}

function settleUnion(union: Finding, index: number, sifted: Sifted, root: JsonSchema): void {
  const branches = branchesOf(union, index, sifted, root);
  const all = new Set(branches.flatMap(({ findings }) => findings));
  const keepOnly = (kept: ReadonlySet<number>, own: Finding | undefined): void => {
    for (const at of all) if (!kept.has(at)) sifted[at] = undefined;
    sifted[index] = own;
  };
  if (isJsonObject(union.params) && Array.isArray(union.params["passingSchemas"])) return keepOnly(new Set(), union);

  const typeFaults = branches.map(({ findings }) => findings.find((at) => isTypeOfUnion(union, sifted[at])));
  const ofType = branches.filter((_, branch) => typeFaults[branch] === undefined);
  if (ofType.length === 0) {
    if (branches.length > 0)
      keepOnly(
        new Set(),
        typesOf(
          union,
          typeFaults.map((at) => sifted[at ?? -1]),
        ),
      );
    return;
  }
  const { meant: tagged, fault } = settleTags(union, ofType);
  if (fault !== undefined) return keepOnly(new Set(), fault);
  const schemas = tagged.map(({ schema }) => schema);
  const byKeys = tagged.length > 1 ? branchOfKeys(schemas, union.data, root) : undefined;
  const meant = byKeys === undefined ? tagged : [tagged[byKeys]!];
  if (meant.length === branches.length && meant.length > 1) return;
  keepOnly(new Set(meant.flatMap(({ findings }) => findings)), meant.length === 1 ? undefined : union);
}

/**
 * Assigns each finding to its branch. ajv writes them right before the union's own, and of no other value in between.
 */
function branchesOf(union: Finding, index: number, sifted: Sifted, root: JsonSchema): Branch[] {
  const schemas = Array.isArray(union.schema) ? (union.schema as unknown[]) : [];
  const near = findingsBefore(union, index, sifted);
  return schemas.map((schema) => {
    const isOf = createReach(schema, union.data, union.instancePath, root);
    const findings = near.filter((at) => isOf(sifted[at]!));
    const isRequired = (parent: string, key: string): boolean =>
      findings.some((at) => {
        const { keyword, instancePath, params } = sifted[at]!;
        return keyword === "required" && instancePath === parent && params["missingProperty"] === key;
      });
    return { schema, findings, pins: pinsOf(schema, root), isRequired };
  });
}

function findingsBefore(union: Finding, index: number, sifted: Sifted): number[] {
  const below = `${union.instancePath}/`;
  const near: number[] = [];
  for (let at = index - 1; at >= 0; at--) {
    const finding = sifted[at];
    if (finding === undefined) continue;
    if (finding.instancePath !== union.instancePath && !finding.instancePath.startsWith(below)) break;
    near.unshift(at);
  }
  return near;
}

function isTypeOfUnion(union: Finding, finding: Finding | undefined): boolean {
  return finding?.keyword === "type" && finding.instancePath === union.instancePath;
}

function typesOf(union: Finding, faults: readonly (Finding | undefined)[]): Finding {
  const names = new Set(faults.flatMap((fault) => String(fault?.params["type"]).split(",")));
  return { ...union, keyword: "type", params: { type: [...names].join(",") } };
}
