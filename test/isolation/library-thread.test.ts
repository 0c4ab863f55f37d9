import { expect, it, onTestFinished } from "vitest";
import { createRegistry, invoke, type Outcome, type Tool } from "../../src/index.ts";
import { errorOf, resultOf } from "../core/one-tool.ts";
import { makeSchema, readRows } from "../schema/library/rows.mjs";
import { toolInThread } from "./tools-in-threads.ts";

const rows = readRows();

/** A tool in a thread, whose schema is that of a row of docs/tools.md. */
async function rowInThread(schema: string): Promise<(args: object) => Promise<Outcome>> {
  const index = rows.findIndex((row) => row.library === "Zod 4.6" && row.schema === schema);
  const module = new URL(`fixtures/library-row/tool.mjs?row=${index}`, import.meta.url).href;
  const parameters = await makeSchema(rows[index]!);
  // On a busy machine a thread takes long to load the library.
  const limits = { isolation: "thread", timeoutMs: 120_000 };
  const tool = { name: "row", description: "Gives what it was given.", ...limits, module, parameters };
  const registry = createRegistry({ tools: [{ ...tool, execute: () => "inline" } as unknown as Tool], observer: {} });
  onTestFinished(() => registry.remove("row"));
  return (args) => invoke(registry, { name: "row", arguments: args });
}

it("a schema library checks the arguments in the tool's thread, and its output is what execute gets there", async () => {
  const call = await rowInThread('z.object({ unit: z.enum(["c", "f"]).default("c") })');
  expect(resultOf(await call({ more: 1 }))).toEqual({ unit: "c" });
  expect(errorOf(await call({ unit: "k" }))).toMatchObject({ code: "invalid_arguments", issues: [{ path: "/unit" }] });
});

it("its issues come from the thread as they would inline", async () => {
  const call = await rowInThread(
    "z.object({ word: z.string().refine(() => false, { error: ({ input }) => `${input} is taken` }) })",
  );
  const outcome = await call({ word: "secret" });
  expect(errorOf(outcome)).toMatchObject({
    code: "invalid_arguments",
    action: "fix_arguments",
    ran: "no",
    issues: [{ path: "/word", message: "is not valid", keyword: "validate" }],
  });
  expect(JSON.stringify(outcome)).not.toContain("secret");
});

it("a check that throws in the thread is tool_failed, and nothing ran", async () => {
  const call = await rowInThread('z.object({ n: z.number().refine(() => { throw new Error("no data base") }) })');
  expect(errorOf(await call({ n: 0 }))).toMatchObject({ code: "tool_failed", ran: "no" });
});

it("a thread cannot end the process by a signal", async () => {
  const { call } = await toolInThread("shaky", {}, {}, { observer: {} });
  expect(errorOf(await call({ way: "kill" })).code).toBe("tool_failed");
  expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
});
