import { getOwn, isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";
import type { BodyPlan, EncodingPlan } from "../../request/plan.ts";
import { isFile } from "./is-file.ts";
import { isMediaType } from "./media-type.ts";
import { readObjectBody } from "./object-body.ts";
import { delimiters } from "./parameters.ts";

/** The body of an operation in one form, whatever its version; its schema is still the document's. */
export interface ReadBody {
  readonly mediaType: string;
  readonly kind: BodyPlan["kind"];
  readonly required: boolean;
  readonly schema: unknown;
  readonly encoding: Readonly<Record<string, EncodingPlan>>;
  readonly description?: string;
}

const jsonType = /^[^;]*[/+]json\s*(?:;|$)/i;
const formType = "application/x-www-form-urlencoded";

/** OpenAPI 3.x. Undefined if there is none that can be sent. */
export function readBody(given: unknown, resolve: Resolve): ReadBody | undefined {
  const body = resolve(given);
  const content = isJsonObject(body?.["content"]) ? Object.entries(body["content"]) : [];
  const usable = content.filter(([type, media]) => isMediaType(type) && isJsonObject(media));
  const [type, media] = choose(usable) ?? [];
  if (body === undefined || type === undefined || !isJsonObject(media)) return undefined;
  return makeBody(type, media["schema"], body, media["encoding"], resolve);
}

function choose(content: readonly [string, unknown][]): [string, unknown] | undefined {
  const first = (test: (type: string) => boolean) => content.find(([type]) => test(type));
  return (
    first((type) => /^application\/json\s*(?:;|$)/i.test(type)) ??
    first((type) => jsonType.test(type)) ??
    first((type) => type.startsWith(formType)) ??
    first((type) => type.startsWith("multipart/")) ??
    first((type) => !type.includes("*")) ??
    content[0]
  );
}

/** Swagger 2.0: a parameter in `body`, or those in `formData`. */
export function readSwaggerBody(
  lists: readonly unknown[],
  consumes: readonly string[],
  resolve: Resolve,
): ReadBody | undefined {
  const parameters = lists.flatMap((list) => (Array.isArray(list) ? list : [])).map((each) => readOne(each, resolve));
  const body = parameters.findLast((each) => each?.["in"] === "body");
  const schema = body?.["schema"];
  if (body !== undefined) {
    const content = consumes.map((type): [string, unknown] => [type, {}]);
    return makeBody(choose(content)?.[0] ?? "application/json", schema, body, undefined, resolve);
  }
  const fields = new Map(parameters.flatMap((each) => formField(each)));
  if (fields.size === 0) return undefined;
  const required = [...fields].flatMap(([name, each]) => (each["required"] === true ? [name] : []));
  const hasFile = [...fields.values()].some((each) => each["type"] === "file");
  const isMultipart = hasFile || (!consumes.includes(formType) && consumes.includes("multipart/form-data"));
  return {
    mediaType: isMultipart ? "multipart/form-data" : formType,
    kind: isMultipart ? "multipart" : "form",
    required: required.length > 0,
    schema: { type: "object", properties: Object.fromEntries(fields), required },
    encoding: Object.fromEntries([...fields].map(([name, each]) => [name, formEncoding(each)])),
  };
}

function formField(parameter: JsonObject | undefined): [string, JsonObject][] {
  const name = parameter?.["name"];
  return parameter?.["in"] === "formData" && typeof name === "string" ? [[name, parameter]] : [];
}

/** People write `{$ref: "#/definitions/X", in: "body"}` and mean a body with that schema. */
function readOne(given: unknown, resolve: Resolve): JsonObject | undefined {
  const target = resolve(given);
  const isSchema = isJsonObject(given) && given["in"] === "body" && target?.["in"] === undefined;
  return isSchema && typeof given["$ref"] === "string" ? { in: "body", schema: { $ref: given["$ref"] } } : target;
}

function formEncoding({ type, collectionFormat }: JsonObject): EncodingPlan {
  if (type === "file") return { isFile: true };
  if (type !== "array") return {};
  if (collectionFormat === "multi") return { style: "form", explode: true };
  return { style: delimiters.get(collectionFormat) ?? "form", explode: false };
}

function makeBody(type: string, schema: unknown, body: JsonObject, encoding: unknown, resolve: Resolve): ReadBody {
  const resolved = resolve(schema);
  const isText = resolved?.["type"] === "string" || resolved === undefined;
  const mediaType = concreteType(type, isText);
  const kind = kindOf(mediaType, resolved, resolve);
  const isOpaque = kind === "bytes" || kind === "text";
  const { description } = body;
  return {
    mediaType,
    kind,
    required: body["required"] === true,
    schema: isOpaque ? { type: "string", description: resolved?.["description"] } : schema,
    encoding: kind === "multipart" || kind === "form" ? readEncoding(encoding, schema, resolve) : {},
    ...(typeof description === "string" && { description }),
  };
}

/** A range such as `application/*` has one type that is certainly in it; a file of `image/*` says its own. */
function concreteType(type: string, isText: boolean): string {
  if (!type.includes("*")) return type;
  if (/^(?:\*|text)\//.test(type)) return isText || type.startsWith("text/") ? "text/plain" : "application/json";
  return type.startsWith("application/") && !isText ? "application/json" : type;
}

function kindOf(mediaType: string, schema: JsonObject | undefined, resolve: Resolve): BodyPlan["kind"] {
  if (jsonType.test(mediaType)) return "json";
  if (mediaType.startsWith(formType)) return "form";
  if (mediaType.startsWith("multipart/")) return "multipart";
  if (/^text\/|[/+](?:yaml|xml)/i.test(mediaType)) return "text";
  const isStructured =
    ["object", "array"].includes(String(schema?.["type"])) || readObjectBody(schema, resolve) !== undefined;
  return isStructured ? "json" : "bytes";
}

function readEncoding(given: unknown, schema: unknown, resolve: Resolve): Record<string, EncodingPlan> {
  const properties = readObjectBody(schema, resolve)?.properties ?? new Map<string, unknown>();
  const encodings = isJsonObject(given) ? given : {};
  const plans: Record<string, EncodingPlan> = {};
  for (const name of new Set([...properties.keys(), ...Object.keys(encodings)])) {
    const own = getOwn(encodings, name);
    const encoding = isJsonObject(own) ? own : {};
    const plan: EncodingPlan = {
      ...(typeof encoding["style"] === "string" && { style: encoding["style"] as "form" }),
      ...(typeof encoding["explode"] === "boolean" && { explode: encoding["explode"] }),
      ...(encoding["allowReserved"] === true && { allowReserved: true }),
      ...(typeof encoding["contentType"] === "string" && { mediaType: encoding["contentType"] }),
      ...(isFile(properties.get(name), resolve) && { isFile: true }),
    };
    if (Object.keys(plan).length > 0) setOwn(plans, name, plan);
  }
  return plans;
}
