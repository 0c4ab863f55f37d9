import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRegistry, invoke, ToolError } from "../../../src/index.ts";
import { toolOf } from "../one-tool.ts";

const warn = vi.spyOn(process, "emitWarning");
beforeEach(() => void warn.mockImplementation(() => undefined));
afterEach(() => warn.mockReset());

const callWith = async (execute: () => unknown, options: object = {}, times = 1): Promise<void> => {
  const registry = createRegistry({ ...options, tools: [toolOf({ execute })] });
  for (let count = 0; count < times; count++) await invoke(registry, { name: "tool", arguments: {} });
};

const throwing = (thrown: unknown) => () => {
  throw thrown;
};

it("what a tool throws is a warning of the process, with its stack, once for each tool and cause", async () => {
  const fault = new Error("no data base");
  await callWith(throwing(fault), {}, 3);
  expect(warn.mock.calls).toEqual([[fault]]);
});

it("another cause is another warning", async () => {
  let count = 0;
  await callWith(
    () => {
      throw new Error(`fault ${count++ % 2}`);
    },
    {},
    4,
  );
  expect(warn.mock.calls).toEqual([[new Error("fault 0")], [new Error("fault 1")]]);
});

it("what is not an error is one too", async () => {
  await callWith(throwing("canary"));
  expect(warn.mock.calls).toEqual([["tool: something that is not an error was thrown", "ToolhostWarning"]]);
});

it.each<[string, () => unknown, object]>([
  ["a ToolError, which the model reads", throwing(new ToolError("no such city")), {}],
  ["a good call", () => 1, {}],
  ["a registry with an observer", throwing(new Error("no data base")), { observer: {} }],
])("there is none of %s", async (_, execute, options) => {
  await callWith(execute, options);
  expect(warn).not.toHaveBeenCalled();
});
