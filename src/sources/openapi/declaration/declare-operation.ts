import { isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";
import type { BodyPlan, ParameterPlan, RequestPlan } from "../../request/plan.ts";
import { withoutTwins } from "../../request/taken-names.ts";
import { createArgumentNames, placeOrder } from "./argument-names.ts";
import type { ReadBody } from "./body.ts";
import { readBodyRule } from "./body-rule.ts";
import type { Definitions } from "./definitions.ts";
import { type ObjectBody, readObjectBody } from "./object-body.ts";
import type { ReadParameter } from "./parameters.ts";

/** The inputs of an operation, of any version. */
export interface OperationInput {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly ReadParameter[];
  readonly body?: ReadBody | undefined;
}

export interface DeclaredOperation {
  readonly plan: RequestPlan;
  /** JSON Schema of the arguments, without its definitions. */
  readonly parameters: JsonObject;
  readonly reaches: readonly string[];
}

const fileNote = "The content of a file: a data URL, such as data:<media type>;base64,<content>, or the plain text.";

/** The arguments of an operation side by side, and how they become its request. */
export function declareOperation(input: OperationInput, definitions: Definitions, resolve: Resolve): DeclaredOperation {
  const reaches = new Set<string>();
  const properties: JsonObject = {};
  const required: string[] = [];
  /** What the schema of the body says beyond its properties. */
  let bodyKeywords: JsonObject = { additionalProperties: false };
  const nameArgument = createArgumentNames();

  function add(name: string, place: string, schema: unknown, isRequired: boolean, note?: string): string {
    const argument = nameArgument(name, place);
    setOwn(properties, argument, describe(definitions.convert(schema, reaches), note));
    if (isRequired) required.push(argument);
    return argument;
  }

  const segments = input.path.split(/\{([^{}]*)\}/);
  const inPath = new Set(segments.filter((_, index) => index % 2 === 1));
  const forgotten = [...inPath].filter(
    (name) => !input.parameters.some((each) => each.in === "path" && each.name === name),
  );
  const all = [
    ...input.parameters.filter((each) => each.in !== "path" || inPath.has(each.name)),
    ...forgotten.map(pathText),
  ];
  const plans: ParameterPlan[] = [];
  for (const place of placeOrder) {
    for (const { required: isRequired, schema, description, ...rest } of all.filter((each) => each.in === place)) {
      plans.push({ ...rest, argument: add(rest.name, place, schema, isRequired, description) });
    }
  }
  const body = input.body === undefined ? undefined : addBody(input.body);
  const path = segments.map((text, index) =>
    index % 2 === 0 ? text : (plans.find((plan) => plan.in === "path" && plan.name === text) ?? text),
  );
  return {
    plan: {
      method: input.method,
      path: path.filter((part) => part !== ""),
      parameters: plans.filter((plan) => plan.in !== "path"),
      ...(body !== undefined && { body }),
    },
    parameters: {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      ...bodyKeywords,
    },
    reaches: [...reaches],
  };

  function addBody({ mediaType, kind, required: isRequired, schema, encoding, description }: ReadBody): BodyPlan {
    const plan = { mediaType, kind, isRequired, ...(Object.keys(encoding).length > 0 && { encoding }) };
    const object = kind === "text" || kind === "bytes" ? undefined : readObjectBody(schema, resolve);
    if (object === undefined) {
      const note = kind === "bytes" ? fileNote : description;
      return { ...plan, from: { argument: add("body", "body", schema ?? {}, isRequired, note) } };
    }
    const pairs: [string, string][] = [];
    const isForm = kind === "form" || kind === "multipart";
    const members = [...object.properties];
    for (const [name, property] of isForm ? withoutTwins(members, ([each]) => each) : members) {
      if (definitions.isOtherSide(property)) continue;
      const note = encoding[name]?.isFile === true ? fileNote : undefined;
      pairs.push([add(name, "body", property, isRequired && object.required.has(name), note), name]);
    }
    bodyKeywords = keywordsOf(object, isRequired, pairs);
    return { ...plan, from: { properties: pairs, takesOthers: object.others !== undefined } };
  }

  function keywordsOf({ others, rules }: ObjectBody, isRequired: boolean, pairs: readonly [string, string][]) {
    const argumentOf = new Map(pairs.map(([argument, property]) => [property, argument]));
    // A body that may be absent has no conditions, as it has no required properties.
    const read = isRequired
      ? rules.flatMap((rule) => readBodyRule(rule, resolve, (name) => argumentOf.get(name) ?? null) ?? [])
      : [];
    const written = read.map((rule) => definitions.convert(rule, reaches));
    return {
      ...(written.length === 1 && isJsonObject(written[0]) ? written[0] : written.length > 1 && { allOf: written }),
      ...(others === undefined && { additionalProperties: false }),
      ...(isJsonObject(others) && { additionalProperties: definitions.convert(others, reaches) }),
    };
  }
}

/** A path parameter that the document forgot. */
function pathText(name: string): ReadParameter {
  return { name, in: "path", required: true, schema: { type: "string" }, style: "simple", explode: false };
}

function describe(schema: JsonObject | boolean, note: string | undefined): JsonObject | boolean {
  if (note === undefined || note === "") return schema;
  if (!isJsonObject(schema)) return schema ? { description: note } : schema;
  const own = schema["description"];
  return { ...schema, description: typeof own === "string" && note === fileNote ? `${own} ${note}` : note };
}
