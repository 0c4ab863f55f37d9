import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { listOf } from "./own.ts";

const known = new WeakMap<JsonObject, boolean | undefined>();

/** Whether a schema in normal form accepts null. Undefined: it refers to itself without end. */
export function acceptsNull(schema: unknown, definitions: ReadonlyMap<string, JsonObject>): boolean | undefined {
  if (!isJsonObject(schema)) return schema !== false;
  if (known.has(schema)) return known.get(schema);
  known.set(schema, undefined); // What asks it again before it is known goes round in a circle.
  const answer = decide(schema, (each) => acceptsNull(each, definitions));
  known.set(schema, answer);
  return answer;

  function decide(schema: JsonObject, ask: (each: unknown) => boolean | undefined): boolean | undefined {
    const answers: (boolean | undefined)[] = [];
    if (schema["type"] !== undefined) answers.push([schema["type"]].flat().includes("null"));
    if ("const" in schema) answers.push(schema["const"] === null);
    if (Array.isArray(schema["enum"])) answers.push(schema["enum"].includes(null));
    if (answers.includes(false)) return false;
    if (typeof schema["$ref"] === "string") answers.push(ask(definitions.get(schema["$ref"])));
    answers.push(...listOf(schema["allOf"]).map(ask));
    if (answers.includes(false)) return false;
    if (Array.isArray(schema["anyOf"])) answers.push(anyOf(schema["anyOf"].map(ask)));
    if (Array.isArray(schema["oneOf"])) answers.push(oneOf(schema["oneOf"].map(ask)));
    if ("not" in schema) answers.push(not(ask(schema["not"])));
    if ("if" in schema) {
      const holds = ask(schema["if"]);
      answers.push(holds === undefined ? undefined : ask(schema[holds ? "then" : "else"]));
    }
    if (answers.includes(false)) return false;
    return answers.includes(undefined) ? undefined : true;
  }
}

function anyOf(answers: readonly (boolean | undefined)[]): boolean | undefined {
  return answers.includes(true) || (answers.includes(undefined) ? undefined : false);
}

function oneOf(answers: readonly (boolean | undefined)[]): boolean | undefined {
  return answers.includes(undefined) ? undefined : answers.filter(Boolean).length === 1;
}

function not(answer: boolean | undefined): boolean | undefined {
  return answer === undefined ? undefined : !answer;
}
