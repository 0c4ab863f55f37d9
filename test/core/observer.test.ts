import { expect, it, vi } from "vitest";
import { callTool, resultOf } from "./one-tool.ts";

it("an observer or a listener that throws fails no call", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const fail = (): never => {
    throw new Error("the observer is broken");
  };
  const outcome = await callTool(
    {
      execute(_args, { log }) {
        log("info", "hello");
        return "done";
      },
    },
    { listener: { onLog: fail } },
    { observer: { onCall: fail, onToolLog: fail } },
  );
  expect(resultOf(outcome)).toBe("done");
  expect(warn).toHaveBeenCalledTimes(2);
  warn.mockRestore();
});
