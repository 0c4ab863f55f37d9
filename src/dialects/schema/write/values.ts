import { type JsonObject, omit } from "../../../json/object.ts";
import { describeKeyword, addSentence } from "./describe.ts";
import type { Place, Writer } from "./writer.ts";

/** Writes `const` and `enum` with the values that a profile accepts. */
export function limitValues(source: JsonObject, place: Place, { shape, lose, refuse }: Writer): JsonObject {
  const node = shape.constAsEnum && "const" in source ? { ...omit(source, "const"), enum: [source["const"]] } : source;
  const values = "const" in node ? [node["const"]] : node["enum"];
  if (!Array.isArray(values) || shape.enums === "any") return node;
  if (shape.enums === "primitives") {
    if (values.some((value) => typeof value === "object" && value !== null))
      refuse(place, "it lists values that are objects or arrays");
    return node;
  }
  switch (node["type"]) {
    case "null":
      return omit(node, "enum");
    case "string": {
      const named = values.filter((value) => value !== "");
      if (named.length === values.length) return node;
      if (named.length === 0) return onlyDescribe();
      lose(place.path, "narrowed", 'The value "" is left out.');
      return { ...node, enum: named };
    }
    case "boolean":
      return new Set(values).size === 2 ? omit(node, "enum") : onlyDescribe();
    default:
      return shape.enums === "scalars" && values.every((value) => typeof value === "number") ? node : onlyDescribe();
  }

  function onlyDescribe(): JsonObject {
    lose(place.path, "widened", '"enum" is mentioned in the description only.');
    return addSentence(omit(node, "enum"), describeKeyword("enum", values, node));
  }
}
