import { isJsonObject, type JsonObject, listOf } from "../../json/object.ts";

const known = new WeakMap<JsonObject, boolean | undefined>();

/** Maximum number of passes over recursive schemas, each with the results of the last. No real schema needs three. */
const maxPasses = 8;

/** Whether a schema in normal form accepts null. Undefined: its references form an endless cycle. */
export function acceptsNull(schema: unknown, definitions: ReadonlyMap<string, JsonObject>): boolean | undefined {
  if (!isJsonObject(schema)) return schema !== false;
  if (known.has(schema)) return known.get(schema);
  const open = new Set<JsonObject>();
  // An answer inside a cycle was given before the rest was known, and depends on where the cycle was entered.
  for (let pass = 0, learnt = true; learnt && pass < maxPasses; pass++) {
    learnt = false;
    open.clear();
    const answer = ask(schema);
    if (answer !== undefined) return answer;

    function ask(each: unknown): boolean | undefined {
      if (!isJsonObject(each)) return each !== false;
      if (known.has(each)) return known.get(each);
      if (open.has(each)) return undefined;
      open.add(each);
      const answer = decide(each, ask);
      if (answer === undefined) return undefined;
      known.set(each, answer);
      learnt = true;
      return answer;
    }
  }
  for (const each of open) if (!known.has(each)) known.set(each, undefined);
  return undefined;

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
      const isMet = ask(schema["if"]);
      answers.push(isMet === undefined ? undefined : ask(schema[isMet ? "then" : "else"]));
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
