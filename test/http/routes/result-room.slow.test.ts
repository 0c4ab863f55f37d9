import { expect, it } from "vitest";
import { appOf } from "../app-in-memory.ts";
import { codes, resultsOf } from "./call-results.ts";

const parameters = { type: "object" as const };
const resultBytes = 80 * 1_048_576;
const large = { name: "large", parameters, resultBytes, response: {}, execute: () => "x".repeat(30 * 1_048_576) };
const small = { name: "small", parameters, response: {}, execute: () => "small" };

it("results that are too large together are result_too_large one by one, and all others are kept", async () => {
  const { app } = appOf([large, small]);
  const calls = [...Array.from({ length: 6 }, () => ({ name: "large" })), { name: "small" }, { name: "none" }];
  const results = await resultsOf(app, calls);
  // Each takes 30 MiB of the 128.
  const wanted = [...Array<string>(4).fill("ok"), "result_too_large", "result_too_large", "ok", "unknown_tool"];
  expect(codes(results)).toEqual(wanted);
  const { callId, error } = results[5]!;
  expect(callId).toMatch(/./);
  expect(error).toMatchObject({ action: "fix_arguments", retryable: false });
  expect(error).not.toHaveProperty("ran");
  expect(error?.message).toContain("128 MiB together");
});
