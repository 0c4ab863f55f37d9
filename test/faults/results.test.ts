import { expect, vi } from "vitest";
import { fault } from "./fault.ts";
import { call, counters, expectAlive, get, sharedService } from "./service.ts";

const service = sharedService();

fault("R1", "a result that is no JSON is invalid_result, and says where", async () => {
  for (const [what, path] of [
    ["function", ""],
    ["symbol", ""],
    ["bigint", "/n"],
    ["map", "/m"],
    ["set", ""],
    ["error", "/e"],
  ] as const) {
    const { status, body } = await call(service(), "returns", { what });
    expect({ what, status, code: body.error?.code, path: body.error?.issues?.[0]?.path }).toEqual({
      what,
      status: 200,
      code: "invalid_result",
      path,
    });
    expect(JSON.stringify(body)).not.toContain("canary");
  }
  for (const what of ["cycle", "throwing toJSON", "throwing proxy"]) {
    expect((await call(service(), "returns", { what })).code, what).toBe("invalid_result");
  }
  await expectAlive(service());
});

fault("R2", "NaN, Infinity and an invalid date are invalid_result, not null", async () => {
  for (const [what, path] of [
    ["nan", "/a"],
    ["infinity", "/0"],
    ["invalid date", "/at"],
  ] as const) {
    expect((await call(service(), "returns", { what })).body.error).toMatchObject({
      code: "invalid_result",
      issues: [{ path }],
    });
  }
});

fault("R3", "a result over resultBytes is result_too_large, and so is one that no string can hold", async () => {
  for (const strings of [1, 2]) expect((await call(service(), "too_large", { strings })).code).toBe("result_too_large");
  await expectAlive(service());
});

fault(
  "R4",
  "a result that breaks its schema is invalid_result without its value, and is counted; a getter cannot lie",
  async () => {
    for (const lie of [false, true]) {
      const { status, code, body } = await call(service(), "wrong_result", { lie });
      expect({ status, code }).toEqual({ status: 200, code: "invalid_result" });
      expect(JSON.stringify(body)).not.toContain("canary");
    }
    const metrics = await (await get(service(), "/metrics")).text();
    expect(metrics).toContain('toolhost_calls_total{tool="wrong_result",code="invalid_result"} 2');
  },
);

fault("R5", "a response, a stream or a strange thenable ends the call once, and what it holds is let go", async () => {
  for (const [what, code] of [
    ["response", "invalid_result"],
    ["web stream", "invalid_result"],
    ["node stream", "invalid_result"],
    ["throwing then", "invalid_result"],
    ["then that never settles", "timeout"],
    ["then that settles twice", "ok"],
  ] as const) {
    const answer = await call(service(), "returns", { what });
    expect({ what, code: answer.code }).toEqual({ what, code });
    if (code === "ok") expect(answer.body.result).toEqual({ first: true });
  }
  await vi.waitFor(async () => expect((await counters(service()))["cancelledStreams"]).toBe(2));
  await expectAlive(service());
});

fault("R6", "whatever is thrown is tool_failed in our shape", async () => {
  for (const what of ["object", "null", "text", "undefined", "secret"]) {
    const answer = await call(service(), "throws", { what });
    expect({ what, status: answer.status, code: answer.code }).toEqual({ what, status: 200, code: "tool_failed" });
    expect(answer.headers["toolhost-outcome"]).toBe("tool_failed");
  }
});

fault("R7", "a failure that comes late or apart changes no answer, is logged, and ends nothing", async () => {
  expect((await call(service(), "late")).code).toBe("timeout");
  expect((await call(service(), "late", { apart: true })).code).toBe("ok");
  await vi.waitFor(() => expect(service().log).toContain("failure apart"), { timeout: 3000 });
  await expectAlive(service());
});

fault("R8", "what a tool throws stands in no answer and no metric", async () => {
  const answer = await call(service(), "throws", { what: "secret" });
  const metrics = await (await get(service(), "/metrics")).text();
  expect(JSON.stringify(answer) + metrics).not.toMatch(/canary|hunter|\/etc\/x|\.mjs/);
});
