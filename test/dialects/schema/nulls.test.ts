import { describe, expect, it } from "vitest";
import { acceptsNull } from "../../../src/dialects/restore/nulls.ts";
import type { JsonObject } from "../../../src/json/object.ts";

describe("whether null is accepted", () => {
  const circle = () =>
    new Map<string, JsonObject>([
      ["a", { anyOf: [{ $ref: "b" }, { type: "null" }] }],
      ["b", { anyOf: [{ $ref: "a" }, { type: "string" }] }],
    ]);

  it.each([
    ["a", "b"],
    ["b", "a"],
  ])("of schemas in a circle is the same whichever is asked first: %s", (first, second) => {
    const definitions = circle();
    acceptsNull(definitions.get(first), definitions);
    expect(acceptsNull(definitions.get(second), definitions)).toBe(true);
    expect(acceptsNull(definitions.get(first), definitions)).toBe(true);
  });

  it("of a schema that is nothing but itself is not known", () => {
    const definitions = new Map<string, JsonObject>([["a", { $ref: "a" }]]);
    expect(acceptsNull(definitions.get("a"), definitions)).toBeUndefined();
  });
});
