import { isJsonObject } from "./json.ts";
import type { Finding } from "./schema.ts";

/**
 * A value that fails `anyOf` or `oneOf` fails each branch, so the findings hold every branch's complaints. Keeps those
 * of the branch that was meant: the one whose type, `const` or `enum` the value does not break. Where no branch has
 * even the type, one finding names all types.
 */
export function settleUnions(findings: readonly Finding[]): readonly Finding[] {
  let left = findings;
  for (const union of findings) {
    if (union.keyword === "anyOf" || union.keyword === "oneOf") left = settleUnion(union, left);
  }
  return left;
}

function settleUnion(union: Finding, findings: readonly Finding[]): readonly Finding[] {
  const branches = branchesOf(union, findings).filter((branch) => branch.length > 0);
  if (branches.length === 0 || !findings.includes(union)) return findings;
  const meant = branches.filter((branch) => !branch.some((finding) => rulesOut(union, finding)));
  const others = new Set(branches.flat());
  others.add(union);

  const only = meant.length === 1 ? meant[0] : undefined;
  if (only !== undefined) {
    for (const finding of only) others.delete(finding);
    return findings.filter((finding) => !others.has(finding));
  }
  const types = branches.map((branch) => branch.find((finding) => isTypeOfUnion(union, finding)));
  if (types.some((finding) => finding === undefined)) return findings;
  const names = [...new Set(types.flatMap((finding) => String(finding?.params["type"]).split(",")))];
  const merged: Finding = { ...union, keyword: "type", params: { type: names.join(",") } };
  return findings.flatMap((finding) => {
    if (finding === union) return [merged];
    return others.has(finding) ? [] : [finding];
  });
}

/** The findings of each branch, told apart by where in the schema they come from. */
function branchesOf(union: Finding, findings: readonly Finding[]): Finding[][] {
  const branches = Array.isArray(union.schema) ? (union.schema as unknown[]) : [];
  return branches.map((branch, index) => {
    const ref = isJsonObject(branch) ? branch["$ref"] : undefined;
    const origin = typeof ref === "string" ? `${ref}/` : `${union.schemaPath}/${index}/`;
    return findings.filter(
      (finding) =>
        finding !== union &&
        finding.schemaPath.startsWith(origin) &&
        finding.instancePath.startsWith(union.instancePath),
    );
  });
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
