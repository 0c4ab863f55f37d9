import { publishedSchema } from "../../src/config/file-schema.ts";
import { isJsonObject, type JsonObject } from "../../src/json/object.ts";

/** A type as a value: the compiler compares it with the type, and the test with the schema. */
export type Shape<T> = unknown extends T
  ? "any"
  : [T] extends [string]
    ? string extends T
      ? "string"
      : Readonly<Record<T, "word">>
    : [T] extends [number]
      ? "integer"
      : [T] extends [true]
        ? "true"
        : [T] extends [boolean]
          ? "boolean"
          : [T] extends [readonly (infer Item)[]]
            ? readonly [Shape<Item>]
            : string extends keyof T
              ? { readonly "*": T[keyof T] extends infer Member ? MemberShape<Member> : never }
              : {
                  readonly [Key in keyof T & string as {} extends Pick<T, Key> ? `${Key}?` : Key]: Shape<
                    Exclude<T[Key], undefined>
                  >;
                };

/** What an argument is bound to is a union of objects with one key each, which the schema writes as one object. */
type MemberShape<Member> = null extends Member ? "bound" : Shape<Member>;

/** @returns a schema of the file in the form of `Shape` */
export function shapeOf(node: unknown): unknown {
  if (!isJsonObject(node)) throw new Error("not a schema");
  const { $ref, anyOf, type, items, properties, additionalProperties, enum: words } = node;
  if ($ref === "#/$defs/boundTo") return "bound";
  if (typeof $ref === "string") return shapeOf((publishedSchema["$defs"] as JsonObject)[$ref.split("/").at(-1)!]);
  if (Array.isArray(words)) return Object.fromEntries(words.map((word) => [word, "word"]));
  if (Array.isArray(anyOf)) return typeof type === "string" ? type : shapeOf(anyOf[0]);
  if (type === "array") return [shapeOf(items)];
  if (type !== "object") return type;
  if (!isJsonObject(properties)) return { "*": shapeOf(additionalProperties) };
  const required = Array.isArray(node["required"]) ? (node["required"] as unknown[]) : [];
  return Object.fromEntries(
    Object.entries(properties).map(([key, field]) => [required.includes(key) ? key : `${key}?`, shapeOf(field)]),
  );
}
