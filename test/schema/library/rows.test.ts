import { describe, expect, it } from "vitest";
import { createRegistry, defineTool, invoke, type Tool } from "../../../src/index.ts";
import { makeSchema, readRows } from "./rows.mjs";
import { outcomeText } from "../../core/outcome-text.ts";

const rows = readRows();
const base = { name: "row", description: "Gives what it was given.", execute: (args: unknown) => args };

describe("the table of schema libraries in docs/tools.md", () => {
  it("has at least 40 rows, of every library", () => {
    expect(new Set(rows.map(({ schema, value }) => schema + value)).size).toBeGreaterThanOrEqual(40);
    expect([...new Set(rows.map(({ library }) => library))]).toEqual(["Zod 4.2", "Zod 4.6", "Valibot", "ArkType"]);
  });

  it.each(rows)("$library $schema $value", async (row) => {
    const parameters = await makeSchema(row);
    const args: unknown = JSON.parse(row.value);
    const plain = createRegistry({ tools: [{ ...base, parameters } as unknown as Tool], observer: {} });
    const defined = createRegistry({ tools: [defineTool({ ...base, parameters })], observer: {} });
    expect(plain.find("row")!.parameters.accepts(args) ? "accepts" : "refuses").toBe(row.jsonSchema);
    expect(await verdictOf(() => parameters["~standard"].validate(structuredClone(args)))).toBe(row.check);
    for (const registry of [plain, defined]) {
      expect(outcomeText(await invoke(registry, { name: "row", arguments: args }))).toBe(row.outcome);
    }
  });
});

async function verdictOf(validate: () => unknown): Promise<string> {
  try {
    return ((await validate()) as { issues?: unknown }).issues === undefined ? "accepts" : "refuses";
  } catch {
    return "throws";
  }
}
