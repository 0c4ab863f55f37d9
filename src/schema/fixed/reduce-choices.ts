import { isJsonObject, type JsonObject, listOf, setOwn } from "../../json/object.ts";
import { isEmpty } from "./join-into.ts";
import {
  askAlso,
  isImpossible,
  leaveOut,
  type Possible,
  type Reduced,
  type ReduceKeyword,
  type Reduction,
} from "./reduction.ts";

/** The keywords that apply other schemas to the same object. */
export const choiceKeywords: readonly (readonly [keyword: string, reduceKeyword: ReduceKeyword])[] = [
  ["allOf", (reduction, value) => reduceAllOf(reduction, listOf(value))],
  ["anyOf", (reduction, value) => reduceUnion(reduction, "anyOf", listOf(value))],
  ["oneOf", (reduction, value) => reduceUnion(reduction, "oneOf", listOf(value))],
  ["not", (reduction, value) => reduceNot(reduction, value as JsonObject)],
  ["if", (reduction, value) => reduceCondition(reduction, value as JsonObject)],
  // The keyword `if` reads both.
  ["then", () => undefined],
  ["else", () => undefined],
  ["dependentSchemas", (reduction, value) => reduceDependentSchemas(reduction, value as Record<string, JsonObject>)],
];

const anything: Possible = { node: {}, isExact: true };

function reduceAllOf(reduction: Reduction, members: readonly JsonObject[]): string | undefined {
  for (const member of members) {
    const problem = askAlso(reduction, reduction.reduce(member));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function reduceUnion(
  reduction: Reduction,
  keyword: "anyOf" | "oneOf",
  branches: readonly JsonObject[],
): string | undefined {
  const { also, options } = reduction;
  const reduced = branches.map((branch) => reduction.reduce(branch));
  const left = reduced.filter((branch): branch is Possible => !isImpossible(branch));
  const [first] = left;
  if (first === undefined) return reduced.find(isImpossible)?.impossible ?? "the schema accepts nothing";
  const areExact = left.every((branch) => branch.isExact);
  reduction.isExact &&= areExact;
  const nodes = left.map(({ node }) => node);
  if (nodes.length === 1) also.push(first.node);
  // Reduced branches may both accept an object that only one branch of the source accepts.
  else if (keyword === "oneOf" && areExact) also.push({ oneOf: nodes });
  else if (options.evaluation !== "unused" || !nodes.some(isEmpty)) also.push({ anyOf: nodes });
  return undefined;
}

function reduceNot(reduction: Reduction, schema: JsonObject): string | undefined {
  const reduced = reduction.reduce(schema);
  if (isImpossible(reduced)) return undefined;
  if (!reduced.isExact) {
    leaveOut(reduction, "not");
  } else if (isEmpty(reduced.node)) {
    return "the schema does not allow the bound arguments";
  } else {
    reduction.also.push({ not: reduced.node });
  }
  return undefined;
}

function reduceCondition(reduction: Reduction, schema: JsonObject): string | undefined {
  const { source, also, options } = reduction;
  const branch = (keyword: "then" | "else"): Reduced =>
    isJsonObject(source[keyword]) ? reduction.reduce(source[keyword]) : anything;
  const condition = reduction.reduce(schema);
  const [yes, no] = [branch("then"), branch("else")];
  if (isImpossible(condition)) return askAlso(reduction, no);
  if (condition.isExact && isEmpty(condition.node)) return askAlso(reduction, yes);
  if (isImpossible(yes) && isImpossible(no)) return yes.impossible;
  if (condition.isExact) {
    reduction.isExact &&= (isImpossible(yes) || yes.isExact) && (isImpossible(no) || no.isExact);
    const conditional: JsonObject = { if: condition.node, else: nodeOf(no) };
    setOwn(conditional, "then", nodeOf(yes));
    also.push(conditional);
    return undefined;
  }
  options.onLessEvaluated();
  leaveOut(reduction, "if");
  const either = [yes, no].flatMap((reduced) => (isImpossible(reduced) ? [] : [reduced.node]));
  if (!either.some(isEmpty)) also.push(either.length === 1 ? either[0]! : { anyOf: either });
  return undefined;
}

function nodeOf(reduced: Reduced): JsonObject {
  return isImpossible(reduced) ? { not: {} } : reduced.node;
}

function reduceDependentSchemas(
  reduction: Reduction,
  schemas: Readonly<Record<string, JsonObject>>,
): string | undefined {
  const rest: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const reduced = reduction.reduce(schema);
    if (reduction.options.fixed.has(name)) {
      const problem = askAlso(reduction, reduced);
      if (problem !== undefined) return problem;
    } else if (isImpossible(reduced)) {
      setOwn(rest, name, { not: {} });
    } else {
      reduction.isExact &&= reduced.isExact;
      if (!isEmpty(reduced.node)) setOwn(rest, name, reduced.node);
    }
  }
  if (!isEmpty(rest)) reduction.written["dependentSchemas"] = rest;
  return undefined;
}
