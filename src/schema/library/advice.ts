import { isJsonObject } from "../../json/object.ts";

/** @throws Error with advice, for an object of a schema library that cannot convert itself to JSON Schema */
export function refuseSchemaObject(given: unknown): void {
  const advice = adviceFor(given);
  if (advice !== undefined) throw new Error(advice);
}

function adviceFor(given: unknown): string | undefined {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return undefined;
  if ("_zod" in given) return hasJsonSchema(given) ? undefined : adviceForZod4(given);
  if ("_def" in given && isJsonObject(given["_def"]) && "typeName" in given["_def"]) {
    return "schemas of zod 3 cannot convert themselves to JSON Schema: use zod 4.2 or later, or give JSON Schema, such as zodToJsonSchema(schema) of the package zod-to-json-schema";
  }
  if ("~standard" in given) return hasJsonSchema(given) ? undefined : adviceForVendor(vendorOf(given));
  // Other frameworks take a map of schemas. A JSON Schema with a type is not searched.
  const isMap = !("type" in given) && Object.values(given).some(isZod4);
  return isMap ? "it is an object of zod schemas, and must be one schema: wrap it in z.object({ … })" : undefined;
}

function isZod4(value: unknown): boolean {
  return typeof value === "object" && value !== null && "_zod" in value;
}

function adviceForZod4(given: object & { readonly _zod: unknown }): string {
  const { version } = given._zod as { readonly version?: { readonly major: number; readonly minor: number } };
  const alternative = 'or give JSON Schema: z.toJSONSchema(schema, { io: "input" })';
  // zod/mini leaves out the methods of the schemas.
  const isMini = !("refine" in given);
  if (isMini) {
    return `schemas of zod/mini cannot convert themselves to JSON Schema: use the schemas of zod 4.2 or later, ${alternative}`;
  }
  return `schemas of zod ${version?.major ?? 4}.${version?.minor ?? 0} cannot convert themselves to JSON Schema: use zod 4.2 or later, ${alternative}`;
}

function adviceForVendor(vendor: string): string {
  if (vendor === "valibot") {
    return "schemas of Valibot must be wrapped to be converted to JSON Schema: use toStandardJsonSchema(schema) of the package @valibot/to-json-schema";
  }
  if (vendor === "arktype")
    return "this version of ArkType cannot convert its schemas to JSON Schema: use ArkType 2.1.28 or later, or give JSON Schema: schema.toJsonSchema()";
  return `the schema object${vendor === "" ? "" : ` of "${vendor}"`} cannot convert itself to JSON Schema (Standard JSON Schema): use its library's converter, or give a JSON Schema`;
}

function hasJsonSchema(given: object): boolean {
  const standard: unknown = "~standard" in given ? given["~standard"] : undefined;
  return (
    typeof standard === "object" && standard !== null && "jsonSchema" in standard && standard.jsonSchema !== undefined
  );
}

function vendorOf(given: object): string {
  const standard: unknown = "~standard" in given ? given["~standard"] : undefined;
  const vendor: unknown =
    typeof standard === "object" && standard !== null && "vendor" in standard ? standard.vendor : "";
  return typeof vendor === "string" ? vendor.slice(0, 50) : "";
}
