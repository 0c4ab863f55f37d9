import { describe, expect, it, onTestFinished } from "vitest";
import { withoutInheritedNames } from "../../../src/schema/ajv/inherited-names.ts";
import { createCheck } from "../../../src/schema/check.ts";

/** Keywords, names of ajv's own, and what is neither. */
const names = ["junk", "required", "properties", "$ref", "format", "type", "const", "if", "default", "validate"];

function pollute(name: string, configurable = true): void {
  Object.defineProperty(Object.prototype, name, { value: "junk", enumerable: true, configurable, writable: true });
  onTestFinished(() => void delete (Object.prototype as Record<string, unknown>)[name]);
}

const schema = {
  type: "object",
  properties: { unit: { enum: ["celsius"] }, days: { type: "array", items: { type: "integer", multipleOf: 2 } } },
  required: ["unit"],
  additionalProperties: false,
};
const values = [{ unit: "celsius", days: [2] }, { unit: "kelvin" }, { days: [1.5] }, { unit: "celsius", more: 1 }, [1]];
let copies = 0;

/** Verdicts of a check that was never compiled: equal schemas share one. */
function verdicts(trusted: boolean, schemaKind: object = schema): unknown {
  const check = createCheck({ ...schemaKind, title: `copy ${++copies}` }, { trusted });
  return values.map((value) => [
    check.accepts(value),
    check.findings(value).map(({ keyword, instancePath, message }) => ({ keyword, instancePath, message })),
  ]);
}

describe("schemas that are compiled while Object.prototype holds enumerable junk", () => {
  const drafts = [{}, { $schema: "http://json-schema.org/draft-07/schema#" }, { unevaluatedProperties: false }];
  const cases = names.flatMap((name) =>
    drafts.flatMap((draft) => [true, false].map((trusted) => ({ name, draft, trusted }))),
  );
  it.each(cases)("gives the same verdicts: %j", ({ name, draft, trusted }) => {
    const before = verdicts(trusted, { ...schema, ...draft });
    pollute(name);
    const after = verdicts(trusted, { ...schema, ...draft });
    delete (Object.prototype as Record<string, unknown>)[name];
    expect(after).toEqual(before);
  });

  it("gives the same verdicts if the junk comes between registration and the first call", () => {
    const before = verdicts(true);
    const check = createCheck({ ...schema, title: "late" });
    pollute("junk");
    const isAccepted = values.map((value) => check.accepts(value));
    delete (Object.prototype as Record<string, unknown>)["junk"];
    expect(isAccepted).toEqual((before as [boolean, unknown][]).map(([accepted]) => accepted));
  });
});

describe("work without inherited names", () => {
  it("puts them back as they were, also if the work fails", () => {
    pollute("junk");
    const fail = (): never => {
      expect(Object.keys(Object.prototype)).toEqual([]);
      throw new Error("no");
    };
    expect(() => withoutInheritedNames(fail)).toThrow("no");
    expect(Object.keys(Object.prototype)).toEqual(["junk"]);
  });
});
