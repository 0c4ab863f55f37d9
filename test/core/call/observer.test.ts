import { expect, it, vi } from "vitest";
import { createRegistry, invoke } from "../../../src/index.ts";
import { toolOf } from "../one-tool.ts";

it("an observer or a listener that throws fails no call, whatever it is told", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const fail = (): never => {
    throw new Error("the observer fails");
  };
  const registry = createRegistry({
    overrides: { tool: { response: "warn" } },
    observer: { onCall: fail, onToolLog: fail },
    tools: [
      toolOf({
        response: { type: "string" },
        execute: (_args, { log, progress }) => {
          log("info", "said");
          progress({ progress: 1 });
          return 1;
        },
      }),
    ],
  });
  const listener = { onLog: fail, onProgress: fail };
  expect(await invoke(registry, { name: "tool", arguments: {}, listener })).toMatchObject({ status: "ok", result: 1 });
  expect(warned).toHaveBeenCalledTimes(5);
  warned.mockRestore();
});
