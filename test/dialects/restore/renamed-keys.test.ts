import { expect, test } from "vitest";
import { dialects } from "../../../src/dialects/dialects.ts";
import { restoreArguments } from "../../../src/dialects/restore/restore.ts";
import { projectSchema } from "../../../src/dialects/schema/project.ts";
import { forms } from "../profiles.ts";

const parameters = { type: "object", properties: { "a.b": { type: "string" } } };

test.each(forms)("$dialect, strict $strict, $schema: a declared key is restored", ({ dialect, strict, schema }) => {
  const projection = projectSchema(parameters, dialects[dialect].profile({ strict, schema }));
  const [key] = Object.keys((projection.schema as typeof parameters).properties);
  expect(restoreArguments(dialects[dialect], parameters, { [key!]: "x" }).value).toEqual({ "a.b": "x" });
});
