import { type JsonObject, setOwn } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import { isOneOf, readFile } from "./data-url.ts";
import { writeForm } from "./form.ts";
import { writeMultipart } from "./multipart.ts";
import type { BodyPlan, BodyProperties, ParameterPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { foldName } from "./taken-names.ts";
import { textOf } from "./value-text.ts";

export interface WrittenBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

/** @param parameters all others of the operation, whose arguments are not properties of the body */
export function compileBody(
  plan: BodyPlan,
  parameters: readonly ParameterPlan[],
): (args: JsonObject) => WrittenBody | undefined {
  const { from } = plan;
  if ("argument" in from) {
    const path = pointerToken(from.argument);
    return (args) => {
      const value = Object.hasOwn(args, from.argument) ? args[from.argument] : undefined;
      if (value === undefined) return undefined;
      return writeBody(plan, value, path, (property) => path + pointerToken(property), []);
    };
  }
  const collect = compileProperties(plan, from, new Set(parameters.map(({ argument }) => argument)));
  const argumentOf = new Map(from.properties.map(([argument, property]) => [property, argument]));
  const pathOf = (property: string): string => pointerToken(argumentOf.get(property) ?? property);
  const names = [...argumentOf.keys()];
  return (args) => {
    const value = collect(args);
    return value === undefined ? undefined : writeBody(plan, value, "", pathOf, names);
  };
}

/** @returns undefined if the body may be missing and none of its arguments is there */
function compileProperties(
  { isRequired, kind }: BodyPlan,
  { properties, takesOthers }: BodyProperties,
  others: ReadonlySet<string>,
): (args: JsonObject) => JsonObject | undefined {
  const propertyOf = new Map(properties);
  // Readers of forms may treat `Tenant`, `tenant[]` and `tenant` as one name.
  const fold = kind === "form" || kind === "multipart" ? foldName : (name: string) => name;
  const written = new Set([...propertyOf.values()].map(fold));
  return (args) => {
    const body: JsonObject = {};
    let isEmpty = true;
    for (const argument of Object.keys(args)) {
      if (others.has(argument)) continue;
      const property = propertyOf.get(argument) ?? (takesOthers ? argument : undefined);
      if (property === undefined) continue;
      if (!propertyOf.has(argument) && written.has(fold(property))) {
        throw refuseArgument(pointerToken(argument), "has the name of a property that another argument sets");
      }
      if (property === "__proto__") setOwn(body, property, args[argument]);
      else body[property] = args[argument];
      isEmpty = false;
    }
    return isEmpty && !isRequired ? undefined : body;
  };
}

function writeBody(
  plan: BodyPlan,
  value: unknown,
  path: string,
  pathOf: (property: string) => string,
  names: readonly string[],
): WrittenBody {
  const { mediaType: contentType } = plan;
  switch (plan.kind) {
    case "json":
      return { contentType, content: JSON.stringify(value) };
    case "form":
      if (!isObject(value)) return { contentType, content: textOf(value).toWellFormed() };
      return { contentType, content: writeForm(plan, value, pathOf, names) };
    case "multipart":
      if (!isObject(value)) throw refuseArgument(path, "must be an object with one property for each part");
      return writeMultipart(plan, value, pathOf);
    case "text":
      return { contentType, content: textOf(value).toWellFormed() };
    case "bytes":
      return writeBytes(value, contentType, path);
  }
}

/** @param asked a media type, or a range such as `image/*`, of which the file has one */
function writeBytes(value: unknown, asked: string, path: string): WrittenBody {
  const { mediaType, bytes } = readFile(textOf(value));
  if (mediaType !== undefined && !isOneOf(mediaType, asked)) {
    throw refuseArgument(path, `must be a file of the media type ${asked}`);
  }
  const contentType = asked.includes("*") ? (mediaType ?? "application/octet-stream") : asked;
  return { contentType, content: bytes };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
