import { entriesOf, isJsonObject, type JsonObject, listOf, setOwn } from "../../../json/object.ts";
import { describeKeyword } from "./describe.ts";
import { inPlace, modernSubschemas } from "../../../schema/keywords.ts";
import type { Place, Writer } from "./writer.ts";

const { one, list, map } = modernSubschemas;

/** Maximum number of schemas that are read for one sentence. */
const mostSchemas = 2000;

/** A keyword's sentence, with the keys that the model sees, and with references replaced by their targets. */
export function keywordSentence(keyword: string, node: JsonObject, place: Place, writer: Writer): string {
  let left = mostSchemas;
  const keywords = keyword === "if" ? ["if", "then", "else"] : [keyword];
  const part = Object.fromEntries(Object.entries(node).filter(([each]) => keywords.includes(each)));
  const written = say(part, place, true);
  return describeKeyword(keyword, written[keyword], written);

  function say(schema: JsonObject, at: Place, mayFollow: boolean): JsonObject {
    const written: JsonObject = {};
    if (--left < 0) return written;
    for (const [each, value] of Object.entries(schema)) {
      if (each !== "$ref") setOwn(written, each, sayValue(each, value, at, mayFollow));
      else if (mayFollow) Object.assign(written, say(writer.modern.definitions.get(String(value)) ?? {}, at, false));
    }
    return written;
  }

  function sayValue(each: string, value: unknown, at: Place, mayFollow: boolean): unknown {
    const below = inPlace.has(each) ? at : { ...at, isRoot: false };
    const nameOf = (key: string): string => writer.wireName(key, at);
    if (each === "required") return listOf<string>(value).map(nameOf);
    if (list.has(each)) return listOf(value).map((member) => say(member, below, mayFollow));
    if (one.has(each)) return isJsonObject(value) ? say(value, below, mayFollow) : value;
    if (each !== "dependentRequired" && !map.has(each)) return value;
    const written: JsonObject = {};
    for (const [key, member] of entriesOf(value)) {
      const names = each === "dependentRequired" ? listOf<string>(member).map(nameOf) : say(member, below, mayFollow);
      setOwn(written, each === "patternProperties" ? key : nameOf(key), names);
    }
    return written;
  }
}
