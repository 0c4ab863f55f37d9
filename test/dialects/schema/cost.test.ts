import { expect, it } from "vitest";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { sampleOf } from "../../runs.ts";

const profiles: readonly string[] = [
  "openai",
  "openai-strict",
  "anthropic-strict",
  "gemini",
  "gemini-openapi",
  "ollama",
];

/** Definitions that each refer to the next one twice. */
function fanOut(levels: number, refer: (next: JsonObject) => JsonObject): JsonObject {
  const names = Array.from({ length: levels }, (_, level) => `d${level}`);
  const $defs = Object.fromEntries(
    names.map((name, level) => [
      name,
      level + 1 < levels ? refer({ $ref: `#/$defs/d${level + 1}` }) : { type: "object", properties: { v: {} } },
    ]),
  );
  return { type: "object", properties: { p: { $ref: "#/$defs/d0" } }, $defs };
}

const fans: Readonly<Record<string, (next: JsonObject) => JsonObject>> = {
  properties: (next) => ({ type: "object", properties: { a: next, b: next } }),
  allOf: (next) => ({ allOf: [next, next] }),
  anyOf: (next) => ({ anyOf: [next, next] }),
  "allOf and more": (next) => ({ allOf: [next, next], properties: { a: next } }),
  "anyOf beside more": (next) => ({ anyOf: [next, { ...next, minProperties: 1 }], description: "Either." }),
};

const cases = profiles.flatMap((profile) => Object.entries(fans).map(([kind, refer]) => ({ profile, kind, refer })));

it.each(sampleOf(cases, 3))(
  "what $profile is told of references that fan out by $kind stays short, and takes little time",
  ({ profile, refer }) => {
    const { schema } = projectSchema(fanOut(25, refer), profile);
    expect(JSON.stringify(schema ?? {}).length).toBeLessThan(524_288 + 10_000);
  },
  5_000,
);
