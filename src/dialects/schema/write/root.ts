import { entriesOf, getOwn, type JsonObject, listOf, omit, setOwn } from "../../../json/object.ts";
import { addSentence } from "./describe.ts";
import { keywordSentence } from "./describe-keyword.ts";
import { isNever } from "../never.ts";
import { Unprojectable } from "../losses.ts";
import { typesOf } from "./types.ts";
import { rootPlace, type ResolvedNode, type Writer } from "./writer.ts";

/** Keywords that depend on the names of keys in ways that a new name would change. */
const keySensitive = "dependentSchemas else if not patternProperties propertyNames then unevaluatedProperties".split(
  " ",
);

/** The root as providers require it: an object that itself lists its properties. */
export function settleRoot(writer: Writer): ResolvedNode {
  const { node, place } = writer.settle(writer.modern.root, rootPlace, true);
  if (!takesObjects(node)) throw new Unprojectable("its root does not accept an object");
  let root = flattenUnions({ ...node, type: "object" }, writer);
  root = moveIntoWords(root, writer.shape.refusedAtRoot, writer);
  const isRenamed = entriesOf(root["properties"]).some(([key]) => writer.wireName(key, place) !== key);
  if (isRenamed) root = moveIntoWords(root, keySensitive, writer);
  return { node: root, place };
}

function takesObjects(node: JsonObject): boolean {
  return !isNever(node) && typesOf(node)?.includes("object") !== false;
}

function moveIntoWords(root: JsonObject, keywords: readonly string[], writer: Writer): JsonObject {
  let described = root;
  for (const keyword of keywords) {
    if (!(keyword in root)) continue;
    writer.lose("", "widened", `"${keyword}" at the root is mentioned in the description only.`);
    described = addSentence(omit(described, keyword), keywordSentence(keyword, root, rootPlace, writer));
  }
  return described;
}

/** @param known alternatives that were already merged: definitions reach the same ones by many paths, and in cycles */
function flattenUnions(node: JsonObject, writer: Writer, known = new Set<unknown>()): JsonObject {
  return ["anyOf", "oneOf"].reduce((root, keyword) => {
    const members = root[keyword];
    if (!Array.isArray(members)) return root;
    if (known.has(members)) return omit(root, keyword);
    known.add(members);
    return flattenUnion(root, keyword, writer, known);
  }, node);
}

/** Properties of any branch may be present; only those that all branches require are required. */
function flattenUnion(node: JsonObject, keyword: string, writer: Writer, known: Set<unknown>): JsonObject {
  // Two equal branches never match exactly once.
  const members = keyword === "anyOf" ? distinct(listOf(node[keyword])) : listOf(node[keyword]);
  const root = omit(node, keyword);
  const branches = members
    .map((member) => writer.settle(member, rootPlace, true).node)
    .filter(takesObjects)
    .map((branch) => flattenUnions(branch, writer, known));
  const [only, ...others] = branches;
  if (only === undefined) throw new Unprojectable("its root accepts nothing");
  if (others.length === 0) return flattenUnions({ ...writer.merge(root, only), type: "object" }, writer, known);

  writer.lose("", "widened", `"${keyword}" at the root is mentioned in the description only.`);
  const { unevaluatedProperties: _, ...rest } = addSentence(root, sayRule(keyword, members, branches, writer));
  const required = branches
    .map((branch) => listOf<string>(branch["required"]))
    .reduce((left, names) => left.filter((name) => names.includes(name)));
  const all = [...new Set([...listOf<string>(root["required"]), ...required])];
  const isClosedUnion = branches.every(isClosed);
  return {
    ...rest,
    properties: uniteProperties(root, branches, writer),
    ...(all.length > 0 && { required: all }),
    ...(isClosedUnion && root["additionalProperties"] === undefined && { additionalProperties: false }),
  };
}

function uniteProperties(root: JsonObject, branches: readonly JsonObject[], { merge, lose }: Writer): JsonObject {
  const own = (root["properties"] ?? {}) as JsonObject;
  const united: JsonObject = { ...own };
  const keys = new Set(branches.flatMap((branch) => entriesOf(branch["properties"]).map(([key]) => key)));
  for (const key of keys) {
    const isOwn = Object.hasOwn(own, key);
    if (!isOwn && isNever(root["additionalProperties"])) continue;
    const declaring = branches.filter((branch) => Object.hasOwn((branch["properties"] ?? {}) as JsonObject, key));
    const others = branches.filter((branch) => !declaring.includes(branch));
    if (isOwn && others.length > 0) continue;
    if (!others.every(isClosed)) {
      lose(
        "",
        "narrowed",
        `The declaration of ${JSON.stringify(key)} combines the alternatives that define it, and ignores the others.`,
      );
    }
    const either = eitherOf(declaring.map((branch) => getOwn(branch["properties"] as JsonObject, key) as JsonObject));
    setOwn(united, key, isOwn ? merge(own[key] as JsonObject, either) : either);
  }
  return united;
}

function isClosed(schema: JsonObject): boolean {
  return isNever(schema["additionalProperties"]) && !("patternProperties" in schema);
}

function eitherOf(schemas: readonly JsonObject[]): JsonObject {
  const all = distinct(schemas);
  return all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all };
}

function distinct(schemas: readonly JsonObject[]): JsonObject[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function sayRule(
  keyword: string,
  members: readonly JsonObject[],
  branches: readonly JsonObject[],
  writer: Writer,
): string {
  if (!branches.every((branch) => Object.keys(branch).every((key) => key === "required" || key === "type"))) {
    return keywordSentence(keyword, { [keyword]: members }, rootPlace, writer);
  }
  const sets = branches.map((branch) =>
    listOf<string>(branch["required"])
      .map((key) => JSON.stringify(writer.wireName(key, rootPlace)))
      .join(" and "),
  );
  return `${keyword === "oneOf" ? "Exactly one" : "At least one"} of these must be given: ${sets.join("; ")}.`;
}
