import type { JsonSchema } from "../../src/schema/json-schema.ts";
import type { Tool } from "../../src/tool/tool.ts";
import type { WireAnswer } from "./http-answers.ts";

/** What throws tells of in its error, and nothing may leave. */
export const secretOfTools = "canary-of-the-tools";

/** Small, so that fuzzed bodies pass it. */
export const maxBodyBytes = 4096;

const inner: JsonSchema = { type: "object", properties: { unit: { enum: ["celsius", "kelvin"] } } };

/** Tools that take anything, that take hardly anything, and that fail. */
export const fuzzedTools: readonly Partial<Tool>[] = [
  { name: "echo" },
  {
    name: "picky",
    parameters: {
      type: "object",
      properties: {
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
        count: { type: "integer", minimum: 1, multipleOf: 0.5 },
        list: { type: "array", items: { anyOf: [{ type: "number" }, inner] }, uniqueItems: true, maxItems: 3 },
        when: { type: "string", format: "date-time" },
        inner,
      },
      patternProperties: { "^a+$": { type: ["boolean", "null"] } },
      required: ["unit"],
      additionalProperties: false,
    },
    response: { type: "object", maxProperties: 2 },
  },
  {
    name: "throws",
    execute: () => {
      throw new Error(secretOfTools);
    },
  },
];

/** An answer of an app in memory, in the form of one that came over a socket. */
export async function wireAnswerOf(response: Response): Promise<WireAnswer> {
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: await response.text(), isCut: false };
}
