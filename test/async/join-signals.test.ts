import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { joinSignals } from "../../src/async/join-signals.ts";
import { sizeOf } from "../runs.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a time limit that nobody else holds is not collected before it passes", async () => {
  const joined = joinSignals([AbortSignal.timeout(60), new AbortController().signal]);
  const aborted = new Promise((resolve) => joined.addEventListener("abort", resolve));
  for (let times = 0; times < sizeOf(5, 2); times++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  await aborted;
  expect(joined.reason).toMatchObject({ name: "TimeoutError" });
});
