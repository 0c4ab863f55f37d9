import { isJsonObject } from "./json.ts";
import type { Finding } from "./schema.ts";

/** Findings in ajv's order; those that turned out to be noise are gone. */
type Sifted = (Finding | undefined)[];

/**
 * A value that fails `anyOf` or `oneOf` fails each branch, so the findings hold every branch's complaints. Keeps those
 * of the branch that was meant: the one whose type, `const` or `enum` the value does not break. Where no branch has
 * even the type, one finding names all types. Where several branches of a `oneOf` fit, that alone is said.
 */
export function settleUnions(findings: readonly Finding[]): readonly Finding[] {
  const sifted: Sifted = [...findings];
  for (const [index, finding] of findings.entries()) {
    if (finding.keyword === "anyOf" || finding.keyword === "oneOf") settleUnion(finding, index, sifted);
  }
  return sifted.filter((finding) => finding !== undefined);
}

function settleUnion(union: Finding, index: number, sifted: Sifted): void {
  const branches = branchesOf(union, index, sifted).filter((branch) => branch.length > 0);
  const drop = (indices: readonly number[]) => indices.forEach((at) => (sifted[at] = undefined));
  if (isJsonObject(union.params) && Array.isArray(union.params["passingSchemas"])) return drop(branches.flat());

  const meant = branches.filter((branch) => !branch.some((at) => rulesOut(union, sifted[at]!)));
  const only = meant.length === 1 ? meant[0] : undefined;
  if (only !== undefined) {
    const others = branches.filter((branch) => branch !== only).flat();
    return drop([...others, index].filter((at) => !only.includes(at)));
  }
  const types = branches.map((branch) => sifted[branch.find((at) => isTypeOfUnion(union, sifted[at]!)) ?? -1]);
  if (types.length === 0 || types.includes(undefined)) return;
  const names = new Set(types.flatMap((finding) => String(finding?.params["type"]).split(",")));
  drop(branches.flat());
  sifted[index] = { ...union, keyword: "type", params: { type: [...names].join(",") } };
}

/**
 * The findings of each branch, as indices: told apart by where in the schema they come from. ajv writes them right
 * before the union's own, and nothing about another value in between.
 */
function branchesOf(union: Finding, index: number, sifted: Sifted): number[][] {
  const schemas = Array.isArray(union.schema) ? (union.schema as unknown[]) : [];
  const origins = schemas.map((branch, position) => {
    const ref = isJsonObject(branch) ? branch["$ref"] : undefined;
    return typeof ref === "string" ? `${ref}/` : `${union.schemaPath}/${position}/`;
  });
  const branches: number[][] = origins.map(() => []);
  const below = `${union.instancePath}/`;
  for (let at = index - 1; at >= 0; at--) {
    const finding = sifted[at];
    if (finding === undefined) continue;
    if (finding.instancePath !== union.instancePath && !finding.instancePath.startsWith(below)) break;
    origins.forEach((origin, branch) => {
      if (finding.schemaPath.startsWith(origin)) branches[branch]!.unshift(at);
    });
  }
  return branches;
}

/** The value is of another kind than the branch: another type, or another tag in one of its members. */
function rulesOut(union: Finding, finding: Finding): boolean {
  if (isTypeOfUnion(union, finding)) return true;
  if (finding.keyword !== "const" && finding.keyword !== "enum") return false;
  const below = finding.instancePath.slice(union.instancePath.length);
  return below.lastIndexOf("/") <= 0;
}

function isTypeOfUnion(union: Finding, finding: Finding): boolean {
  return finding.keyword === "type" && finding.instancePath === union.instancePath;
}
