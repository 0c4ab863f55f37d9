import { describe, expect, it } from "vitest";
import { createOkOutcome, failedOutcome } from "../../../src/core/outcome.ts";
import { CallError } from "../../../src/errors/errors.ts";
import { roomForMessages, roomForResults } from "../../../src/http/routes/result-room.ts";
import { appOf, post } from "../app-in-memory.ts";
import { codes, type Result } from "./call-results.ts";

const mebi = 1_048_576;
const parameters = { type: "object" as const };
const large = { name: "large", parameters, response: {}, execute: () => "x".repeat(mebi) };

describe("results of one request that are too large together", () => {
  it("count as often as a reply repeats its call", async () => {
    const { app } = appOf([large]);
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
