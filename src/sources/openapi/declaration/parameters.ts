import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";
import type { ParameterPlan, ParameterStyle } from "../../request/plan.ts";

/** One parameter of any version in one form; its schema is still the document's. */
export interface ReadParameter extends Omit<ParameterPlan, "argument"> {
  readonly required: boolean;
  readonly schema: unknown;
  readonly description?: string;
}

/** The specification ignores the first three; the others frame a message. */
const ignoredHeaders = new Set(
  (
    "accept content-type authorization host content-length transfer-encoding connection te upgrade keep-alive " +
    "trailer expect proxy-authorization proxy-connection"
  ).split(" "),
);
const places = new Set(["path", "query", "querystring", "header", "cookie"]);
const styles = new Set("simple label matrix form spaceDelimited pipeDelimited deepObject cookie".split(" "));

/** The parameters of an operation, its own before those of its path with the same name and place; without bodies. */
export function readParameters(lists: readonly unknown[], resolve: Resolve, isSwagger: boolean): ReadParameter[] {
  const found = new Map<string, ReadParameter>();
  for (const list of lists) {
    for (const given of Array.isArray(list) ? list : []) {
      const parameter = readParameter(resolve(given), isSwagger);
      if (parameter === undefined) continue;
      const { in: place, name } = parameter;
      found.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter);
    }
  }
  // It would write the same header as the cookies.
  if ([...found.values()].some((each) => each.in === "cookie")) found.delete("header cookie");
  return [...found.values()];
}

function readParameter(given: JsonObject | undefined, isSwagger: boolean): ReadParameter | undefined {
  const { name, in: place, description } = given ?? {};
  if (given === undefined || typeof name !== "string" || typeof place !== "string" || !places.has(place)) return;
  if (place === "header" && ignoredHeaders.has(name.toLowerCase())) return;
  const [mediaType, content] = Object.entries(isJsonObject(given["content"]) ? given["content"] : {})[0] ?? [];
  return {
    name,
    in: place as ParameterPlan["in"],
    required: place === "path" || given["required"] === true,
    schema: isSwagger ? given : isJsonObject(content) ? content["schema"] : given["schema"],
    ...(typeof description === "string" && { description }),
    ...(isSwagger ? collectionStyle(place, given) : styleOf(place, given)),
    ...(given["allowReserved"] === true && { allowReserved: true }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

function styleOf(place: string, { style, explode }: JsonObject): { style: ParameterStyle; explode: boolean } {
  const isInPlace = typeof style === "string" && styles.has(style);
  const standard = place === "path" || place === "header" ? "simple" : "form";
  const written = isInPlace ? (style as ParameterStyle) : standard;
  const explodes = typeof explode === "boolean" ? explode : written === "form" || written === "cookie";
  return { style: written, explode: explodes };
}

/** https://swagger.io/specification/v2/#parameter-object: `collectionFormat`, `csv` if absent. */
function collectionStyle(place: string, { collectionFormat }: JsonObject): { style: ParameterStyle; explode: boolean } {
  if (place === "path" || place === "header") return { style: "simple", explode: false };
  if (collectionFormat === "multi") return { style: "form", explode: true };
  return { style: delimiters.get(collectionFormat) ?? "form", explode: false };
}

/** The styles of Swagger 2.0's `collectionFormat`s that have a delimiter of their own. */
export const delimiters: ReadonlyMap<unknown, ParameterStyle> = new Map<unknown, ParameterStyle>([
  ["ssv", "spaceDelimited"],
  ["tsv", "tabDelimited"],
  ["pipes", "pipeDelimited"],
]);
