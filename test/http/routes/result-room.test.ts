import { describe, expect, it } from "vitest";
import { createOkOutcome, failedOutcome } from "../../../src/core/outcome.ts";
import { CallError } from "../../../src/errors/errors.ts";
import { roomForMessages, roomForResults } from "../../../src/http/routes/result-room.ts";
import { appOf, post } from "../app-in-memory.ts";
import { codes, type Result, resultsOf } from "./call-results.ts";

const mebi = 1_048_576;
const parameters = { type: "object" as const };
const large = { name: "large", parameters, resultBytes: 80 * mebi, response: {}, execute: () => "x".repeat(30 * mebi) };
const small = { name: "small", parameters, response: {}, execute: () => "small" };

describe("results of one request that are too large together", () => {
  it("are result_too_large one by one, and all others are kept", async () => {
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

  it("count as often as a reply repeats its call", async () => {
    const half = { ...large, execute: () => "x".repeat(mebi) };
    const { app } = appOf([half]);
    const parts = Array.from({ length: 700 }, () => ({ functionCall: { id: "a", name: "large", args: {} } }));
    const { status, body } = await post(app, "/calls?format=gemini", JSON.stringify({ role: "model", parts }));
    expect(status).toBe(200);
    expect(codes((body as unknown as { results: Result[] }).results)).toEqual(["result_too_large"]);
  });
});

describe("the room for results", () => {
  const ok = (length: number) => createOkOutcome("a", "", "x".repeat(length));

  it("is free for what fits after something that did not", () => {
    const room = roomForResults();
    const taken = [100, 100, 28, 1].map((size) => room.take(ok(size * mebi)).status);
    expect(taken).toEqual(["ok", "error", "ok", "error"]);
  });

  it("is smaller beside a long echo", () => {
    expect(roomForMessages(0).take(ok(64 * mebi)).status).toBe("ok");
    expect(roomForMessages(256 * mebi).take(ok(57 * mebi)).status).toBe("error");
    expect(roomForMessages(256 * mebi).take(ok(56 * mebi)).status).toBe("ok");
  });

  it("leaves failures as they are; one that is repeated without end loses its details alone", () => {
    const failure = failedOutcome(new CallError("tool_failed", "No.", { details: "x".repeat(60_000) }));
    const room = roomForMessages(0);
    expect(room.take(failure)).toBe(failure);
    expect(room.take(failure, 10_000)).toEqual({
      status: "error",
      error: { code: "tool_failed", message: "No.", action: "stop", retryable: false },
    });
  });
});
