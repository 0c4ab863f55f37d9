import { describe, expect, it } from "vitest";
import { errorCodes } from "../../src/errors/errors.ts";
import { ToolError, UpstreamError } from "../../src/index.ts";
import { callTool, errorOf } from "../core/one-tool.ts";

const canary = "hunter2 at /etc/secret";

async function thrown(value: unknown, safe = false) {
  const fields = { annotations: { readOnly: safe } };
  const sync = await callTool({
    ...fields,
    execute() {
      throw value;
    },
  });
  const late = await callTool({ ...fields, execute: async () => Promise.reject(value) });
  expect(errorOf(late)).toEqual(errorOf(sync));
  expect(JSON.stringify(sync)).not.toContain("hunter2");
  return errorOf(sync);
}

class Stubborn extends Error {
  override get message(): string {
    throw new Error(canary);
  }
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function throwing(): never {
  throw new Error(canary);
}

describe("tool_failed", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["a string", canary],
    ["an object", { secret: canary }],
    ["a symbol", Symbol(canary)],
    ["an error", new Error(canary, { cause: new Error(canary) })],
    ["an error whose message throws", new Stubborn()],
    ["a proxy whose traps throw", new Proxy({}, { get: throwing, has: throwing, getPrototypeOf: throwing })],
    ["a revoked proxy", revokedProxy()],
    ["an object whose name throws", Object.defineProperty({}, "name", { get: throwing })],
  ])("is the answer to %s, with a general message", async (_, value) => {
    const error = await thrown(value);
    expect(error).toEqual({
      code: "tool_failed",
      message: expect.stringMatching(/^The tool failed/),
      action: "stop",
      retryable: false,
    });
  });

  it("holds what a ToolError says", async () => {
    const error = await thrown(new ToolError("The city is unknown.", { details: { near: ["Berlin"] } }));
    expect(error).toEqual({
      code: "tool_failed",
      message: "The city is unknown.",
      action: "stop",
      retryable: false,
      details: { near: ["Berlin"] },
    });
  });

  it("may be tried again where the tool says so", async () => {
    expect(await thrown(new ToolError("Later.", { retryable: true }))).toMatchObject({
      action: "retry",
      retryable: true,
    });
  });

  it("takes any error of the name ToolError for one", async () => {
    const own = Object.assign(new Error("Own words."), {
      name: "ToolError",
      retryable: true,
      details: [1],
    });
    expect(await thrown(own)).toMatchObject({
      message: "Own words.",
      retryable: true,
      details: [1],
    });
    expect(await thrown({ name: "ToolError", message: 5, retryable: "yes" })).toMatchObject({
      retryable: false,
    });
  });

  it("leaves out details that are no JSON, or too large", async () => {
    for (const details of [
      new Map(),
      1n,
      NaN,
      "x".repeat(70_000),
      {
        get a() {
          return throwing();
        },
      },
    ]) {
      expect(await thrown(new ToolError("No details.", { details }))).not.toHaveProperty("details");
    }
  });

  it("keeps a message within bounds", async () => {
    expect((await thrown(new ToolError("x".repeat(1_000_000)))).message.length).toBeLessThanOrEqual(2000);
  });
});

describe("upstream_failed", () => {
  it("has the details of the error, if they are JSON", async () => {
    const details = { body: { message: "no pet 7" } };
    expect(await thrown(new UpstreamError("No.", { status: 404, details }))).toMatchObject({ details });
    expect(await thrown(new UpstreamError("No.", { details: 1n }))).not.toHaveProperty("details");
  });

  it.each([
    // status, retryable where safe, ran
    [400, false, "no"],
    [401, false, "no"],
    [404, false, "no"],
    [409, false, "no"],
    [408, true, "unknown"],
    [429, true, "no"],
    [500, true, "unknown"],
    [502, true, "unknown"],
    [503, true, "unknown"],
    [302, false, "unknown"],
    [undefined, true, "unknown"],
  ] as const)("with the status %s may be tried again if safe: %s", async (status, retryable, ran) => {
    const upstream = new UpstreamError("The API said no.", status === undefined ? {} : { status });
    const safe = await thrown(upstream, true);
    expect(safe).toMatchObject({
      code: "upstream_failed",
      message: "The API said no.",
      retryable,
      ran,
    });
    expect(safe.upstream).toEqual(status === undefined ? undefined : { status });
    if (retryable) expect(safe.action).toMatch(/^retry/);
    else expect(safe.action).toBe("stop");

    const unsafe = await thrown(upstream, false);
    expect(unsafe).toMatchObject({ retryable: false, ran });
    expect(unsafe.action).toBe(ran === "unknown" || retryable ? "check_before_retry" : "stop");
  });

  it("passes on how long the API asked to wait", async () => {
    const error = await thrown(new UpstreamError("Wait.", { status: 503, retryAfterMs: 1500 }), true);
    expect(error).toMatchObject({ action: "retry_later", retryAfterMs: 1500 });
  });

  it("surely did nothing where the error says so", async () => {
    expect(await thrown(new UpstreamError("Refused.", { ran: "no" }), true)).toMatchObject({
      ran: "no",
      retryable: true,
    });
  });

  it("is told by the name alone", async () => {
    const own = Object.assign(new Error("Down."), { name: "UpstreamError", status: 404 });
    expect(await thrown(own)).toMatchObject({ code: "upstream_failed", upstream: { status: 404 } });
  });
});

it("keeps the table of codes as the contract has it", () => {
  const retryable = (want: unknown) =>
    Object.entries(errorCodes)
      .filter(([, row]) => row.status === 200 && row.retryable === want)
      .map(([code]) => code);
  expect(retryable(true).sort()).toEqual(["busy", "unavailable"]);
  expect(retryable("safe")).toEqual(expect.arrayContaining(["timeout", "upstream_failed"]));
  for (const code of ["invalid_arguments", "unavailable", "busy", "declaration_changed"] as const) {
    expect(errorCodes[code].ran).toBe("no");
  }
});
