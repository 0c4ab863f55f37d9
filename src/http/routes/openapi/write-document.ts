import { inTurns } from "../../../async/in-turns.ts";
import { isJsonObject, type JsonObject } from "../../../json/object.ts";

/** Deep enough for `paths` and `components.schemas`, whose members are many and small. */
const memberDepth = 3;

/** An object as JSON, as `JSON.stringify` writes it. Other work has its turns: a document of many tools has megabytes. */
export async function writeDocument(document: object): Promise<string> {
  const parts: string[] = [];
  await inTurns(writeParts(document as JsonObject, memberDepth), (part) => parts.push(part));
  return parts.join("");
}

function* writeParts(object: JsonObject, depth: number): Generator<string> {
  let mark = "{";
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${mark}${JSON.stringify(key)}:`;
    mark = ",";
    if (depth > 1 && isJsonObject(value)) yield* writeParts(value, depth - 1);
    else yield JSON.stringify(value);
  }
  yield mark === "{" ? "{}" : "}";
}
