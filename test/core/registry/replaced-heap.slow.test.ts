import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRegistry, invoke } from "../../../src/index.ts";
import { sleep, toolOf } from "../one-tool.ts";

it("a group of tools that is replaced a thousand times leaves the heap as it was", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const registry = createRegistry();
  const round = async (n: number) => {
    const parameters = {
      type: "object",
      properties: { [`key${n}`]: { type: "string", pattern: `^${n}` } },
    };
    registry.replace("a", [toolOf({ parameters, response: { $id: `urn:r${n}`, type: "object" } })]);
    await invoke(registry, { name: "tool", arguments: { [`key${n}`]: String(n) } });
  };
  const heapAfter = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await round(n);
    for (let i = 0; i < 3; i++) {
      await sleep(5);
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  const start = await heapAfter(0, 200);
  const end = await heapAfter(200, 1200);
  expect((end - start) / 2 ** 20).toBeLessThan(4);
}, 30_000);
