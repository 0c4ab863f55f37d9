import fc from "fast-check";
import { expect, it } from "vitest";
import { appOf, post } from "../http/app-in-memory.ts";
import { faultOf } from "./answer-faults.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { wireAnswerOf } from "./fuzzed-app.ts";
import { arePrototypesChanged } from "./prototypes.ts";
import { hostileResults, plainResults, thrownValues } from "./results.ts";

const json = { "content-type": "application/json" };

it(
  "whatever a tool returns, the answer is the JSON of it or says that it is none",
  async () => {
    let result: unknown;
    const { app } = appOf([{ execute: () => result }]);
    const returned = fc.asyncProperty(plainResults, async (value) => {
      result = value;
      const response = await app.request("/tools/tool/invoke", { method: "POST" });
      const answer = await wireAnswerOf(response);
      expect(faultOf(answer, [])).toBe(undefined);
      const code = answer.headers["toolhost-outcome"];
      expect(["ok", "invalid_result"]).toContain(code);
      if (code !== "ok") return;
      const body = JSON.parse(answer.body ?? "") as { result: unknown };
      // A tool that returns nothing has returned null.
      expect(body.result).toEqual(JSON.parse(JSON.stringify(value ?? null)));
    });
    await assertFuzzed("results", returned, { commit: 800, nightly: 100_000 });
  },
  fuzzTimeoutMs,
);

it(
  "whatever a tool returns that acts when it is looked at, the answer has the contract's shape",
  async () => {
    let result: unknown;
    const { app } = appOf([{ timeoutMs: 20, execute: () => result }]);
    const returned = fc.asyncProperty(hostileResults, async (make) => {
      result = make();
      const answer = await wireAnswerOf(await app.request("/tools/tool/invoke", { method: "POST" }));
      expect(faultOf(answer, ["a trap of the tool", "an error of the tool"])).toBe(undefined);
      expect(["ok", "invalid_result", "tool_failed", "timeout"]).toContain(answer.headers["toolhost-outcome"]);
    });
    await assertFuzzed("hostile results", returned, { commit: 500, nightly: 30_000 });
    expect(arePrototypesChanged()).toBe(false);
    expect((await post(app, "/tools/nope/invoke")).status).toBe(404);
  },
  fuzzTimeoutMs,
);

it(
  "whatever a tool throws, the answer is an error of the contract's shape",
  async () => {
    let thrown: unknown;
    const failing = () => {
      throw thrown;
    };
    const { app } = appOf([{ execute: failing }]);
    const failed = fc.asyncProperty(thrownValues, async (make) => {
      thrown = make();
      const answer = await wireAnswerOf(await app.request("/tools/tool/invoke", { method: "POST", headers: json }));
      expect(faultOf(answer, ["a trap of the tool"])).toBe(undefined);
      expect(["tool_failed", "upstream_failed"]).toContain(answer.headers["toolhost-outcome"]);
    });
    await assertFuzzed("thrown values", failed, { commit: 800, nightly: 50_000 });
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);
