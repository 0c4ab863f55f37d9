import { type JsonObject, listOf, omit } from "../../../json/object.ts";
import { addSentence } from "./describe.ts";
import { areDisjoint } from "./disjoint.ts";
import { isImpossible } from "./impossible.ts";
import { keywordSentence } from "./describe-keyword.ts";
import { isNever, never } from "../never.ts";
import { treatmentOf } from "../profile.ts";
import { checkNullsOfBranches } from "./strict.ts";
import { annotations } from "./types.ts";
import type { Place, Writer } from "./writer.ts";

const mostAlternatives = 64;

/** Writes `oneOf` as `anyOf`, and moves keywords next to `anyOf` into its branches. */
export function spreadAlternatives(source: JsonObject, place: Place, writer: Writer): JsonObject {
  const node = limitProduct(oneOfAsAnyOf(source, place, writer), place, writer);
  if (!Array.isArray(node["anyOf"])) return node;
  const branches = listOf(node["anyOf"]).filter((branch) => !isImpossible(branch, place, writer));
  const beside = omit(node, "anyOf", ...annotations);
  const spread = writer.shape.unionsAlone && Object.keys(beside).length > 0;
  const written = spread ? spreadInto(branches, beside, place, writer) : branches;
  if (written.length === 0) return never();
  if (writer.shape.requiresAll) checkNullsOfBranches(written, place, writer);
  return { ...(spread ? omit(node, ...Object.keys(beside)) : node), anyOf: written };
}

/** Combinations of several alternatives are multiplied out only while they are few. */
function limitProduct(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { shape, profile, lose, refuse } = writer;
  const members = listOf(node["allOf"]);
  if (!shape.unionsAlone || !Array.isArray(node["anyOf"])) return node;
  const choices = members.map((member) => listOf(member["anyOf"] ?? member["oneOf"]).length);
  const product = choices.filter((count) => count > 0).reduce((all, count) => all * count, node["anyOf"].length);
  if (product <= mostAlternatives || product === node["anyOf"].length) return node;
  if (treatmentOf(profile, "allOf") === "refuse") refuse(place, "it has too many alternatives");
  lose(place.path, "widened", '"allOf" is mentioned in the description only.');
  const left = members.filter((_, index) => choices[index] === 0);
  const described = members.filter((_, index) => choices[index] !== 0);
  const rest = { ...omit(node, "allOf"), ...(left.length > 0 && { allOf: left }) };
  return addSentence(rest, keywordSentence("allOf", { allOf: described }, place, writer));
}

function oneOfAsAnyOf(node: JsonObject, { path }: Place, { modern, lose }: Writer): JsonObject {
  if (!Array.isArray(node["oneOf"]) || node["anyOf"] !== undefined) return node;
  const rest = omit(node, "oneOf");
  const anyOf = node["oneOf"];
  if (areDisjoint(listOf(anyOf), modern.definitions)) return { ...rest, anyOf };
  lose(path, "widened", "Only one alternative may match. Only the description mentions this.");
  return addSentence({ ...rest, anyOf }, "Exactly one of the alternatives must match.");
}

function spreadInto(branches: readonly JsonObject[], beside: JsonObject, place: Place, writer: Writer): JsonObject[] {
  return branches.flatMap((branch) => {
    if (isRepeated(branch, beside, writer)) return [branch];
    const merged = writer.settleApart(branch, place, (node) => writer.merge(node, beside));
    return isNever(merged) ? [] : [merged];
  });
}

/** Many schemas repeat the type of all branches next to them. */
function isRepeated(branch: JsonObject, beside: JsonObject, { modern }: Writer): boolean {
  const target = typeof branch["$ref"] === "string" ? modern.definitions.get(branch["$ref"]) : branch;
  return Object.keys(beside).join() === "type" && target?.["type"] === beside["type"];
}
