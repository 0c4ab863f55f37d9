import { describe, expect, it, onTestFinished } from "vitest";
import { createRegistry, invoke, type Tool } from "../../src/index.ts";
import { makeSchema, readRows } from "../schema/library/rows.mjs";
import { outcomeText } from "../core/outcome-text.ts";

const rows = readRows().map((row, index) => ({ ...row, index }));

describe("the table of schema libraries in docs/tools.md, in threads", () => {
  it.each(rows)("$library $schema $value", async ({ index, ...row }) => {
    const module = new URL(`fixtures/library-row/tool.mjs?row=${index}`, import.meta.url).href;
    const parameters = await makeSchema(row);
    const tool = { name: "row", description: "Gives what it was given.", isolation: "thread", module, parameters };
    // The thread has a function of its own.
    const registry = createRegistry({ tools: [{ ...tool, execute: () => "inline" } as unknown as Tool], observer: {} });
    onTestFinished(() => registry.remove("row"));
    const outcome = await invoke(registry, { name: "row", arguments: JSON.parse(row.value) });
    expect(outcomeText(outcome)).toBe(row.outcome);
  });
});
