import { describe, expect, it } from "vitest";
import { sleep } from "../../core/one-tool.ts";
import { appOf, post } from "../app-in-memory.ts";

describe("a service at its limit of calls", () => {
  it("answers 503 with Retry-After, and in a batch refuses the entry alone", async () => {
    const { app } = appOf([{ execute: () => sleep(100).then(() => 1) }], {}, { callsInFlight: 1 });
    const first = post(app, "/tools/tool/invoke", "{}");
    await sleep(5);
    const { status, headers, body } = await post(app, "/tools/tool/invoke", "{}");
    expect({ status, outcome: headers.get("toolhost-outcome") }).toEqual({ status: 503, outcome: "overloaded" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(body).toMatchObject({ status: "error", error: { code: "overloaded", retryable: true, ran: "no" } });
    expect(body).not.toHaveProperty("callId");
    const batch = await post(app, "/calls", '{"calls":[{"name":"tool"},{"name":"nothing"}]}');
    expect(batch.status).toBe(200);
    expect(batch.body).toMatchObject({
      results: [{ error: { code: "overloaded", ran: "no" } }, { error: { code: "unknown_tool" } }],
    });
    expect((await first).status).toBe(200);
  });

  it("tells a stream so too", async () => {
    const { app } = appOf([{ execute: () => sleep(50).then(() => 1) }], {}, { callsInFlight: 1 });
    const first = post(app, "/tools/tool/invoke", "{}");
    await sleep(5);
    const response = await app.request("/tools/tool/invoke", {
      method: "POST",
      headers: { accept: "text/event-stream" },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"overloaded"');
    await first;
  });
});
