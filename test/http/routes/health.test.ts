import { describe, expect, it } from "vitest";
import { createLifecycle } from "../../../src/http/lifecycle.ts";
import { version } from "../../../src/package.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { appOf, post, readAnswer } from "../app-in-memory.ts";
import { sizeOf } from "../../runs.ts";

describe("the health of a service", () => {
  it.each(["/livez", "/readyz", "/healthz"])("%s is 200 while it serves, whatever the query", async (path) => {
    const { app } = appOf([], { lifecycle: createLifecycle() });
    const response = await app.request(`${path}?probe=1`);
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
    expect((await app.request(path, { method: "HEAD" })).status).toBe(200);
  });

  it("is alive and not ready while it leaves, and serves calls on connections that end", async () => {
    const lifecycle = createLifecycle();
    const { app } = appOf([{}], { lifecycle });
    lifecycle.state = "leaving";
    expect((await app.request("/livez")).status).toBe(200);
    for (const path of ["/readyz", "/healthz"]) {
      const { status, headers, body } = await readAnswer(await app.request(path));
      expect({ path, status, code: body.error?.code }).toEqual({ path, status: 503, code: "shutting_down" });
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
    const call = await post(app, "/tools/tool/invoke", "{}");
    expect([call.status, call.headers.get("connection")]).toEqual([200, "close"]);
  });

  it("takes no call while it ends, and says when to come again", async () => {
    let runs = 0;
    const lifecycle = createLifecycle();
    const { app } = appOf([{ execute: () => ++runs }], { lifecycle });
    lifecycle.state = "ending";
    for (const [path, text] of [
      ["/tools/tool/invoke", "{}"],
      ["/calls", '{"calls":[{"name":"tool"}]}'],
    ] as const) {
      const { status, headers, body } = await post(app, path, text);
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(headers.get("toolhost-outcome")).toBe("shutting_down");
      expect(body.error).toMatchObject({ code: "shutting_down", retryable: true, action: "retry_later", ran: "no" });
    }
    expect(runs).toBe(0);
    expect((await app.request("/livez")).status).toBe(200);
  });

  it("counts a request as open until its answer is there, and no longer", async () => {
    const lifecycle = createLifecycle();
    let finish: (value: unknown) => void = () => undefined;
    const { app } = appOf([{ execute: () => new Promise((resolve) => void (finish = resolve)) }], { lifecycle });
    const pending = post(app, "/tools/tool/invoke", "{}");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lifecycle.open).toBe(1);
    finish(1);
    await pending;
    await app.request("/nowhere");
    await app.request("/tools?x=1");
    expect(lifecycle.open).toBe(0);
  });
});

describe("GET /metrics", () => {
  /** An app whose calls are counted, and what it tells of them: each series and its value. */
  function createMetered() {
    const metrics = createMetrics(() => 7);
    const observer = { onCall: metrics.onCall };
    const { app } = appOf(
      [
        { name: "good" },
        { name: "bad", execute: () => Promise.reject(new Error("x")) },
        { name: "picky", parameters: { type: "object", required: ["a"] } },
      ],
      { metrics: metrics.text },
      { observer },
    );
    const series = async (): Promise<Map<string, number>> => {
      const lines = (await (await app.request("/metrics")).text())
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"));
      return new Map(
        lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
      );
    };
    return { app, series };
  }

  it("is the text format of Prometheus, each series described once", async () => {
    const { app } = createMetered();
    await post(app, "/tools/good/invoke", "{}");
    const response = await app.request("/metrics");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text.endsWith("\n")).toBe(true);
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? [\d.e+-]+)$/,
      );
    }
    const described = text.match(/^# TYPE \S+/gm) ?? [];
    expect(new Set(described).size).toBe(described.length);
  });

  it("counts calls by tool and code, those of /calls too", async () => {
    const { app, series } = createMetered();
    await post(app, "/tools/good/invoke", "{}");
    await post(app, "/tools/bad/invoke", "{}");
    await post(app, "/tools/picky/invoke", "{}");
    await post(app, "/calls", '{"calls":[{"name":"good"},{"name":"good"},{"name":"bad"}]}');
    const counted = await series();
    expect(counted.get('toolhost_calls_total{tool="good",code="ok"}')).toBe(3);
    expect(counted.get('toolhost_calls_total{tool="bad",code="tool_failed"}')).toBe(2);
    expect(counted.get('toolhost_calls_total{tool="picky",code="invalid_arguments"}')).toBe(1);
    expect(counted.get('toolhost_call_duration_seconds_count{tool="good"}')).toBe(3);
    expect(counted.get('toolhost_call_duration_seconds_bucket{tool="good",le="+Inf"}')).toBe(3);
    expect(counted.get("toolhost_calls_in_flight")).toBe(7);
  });

  it("has buckets that only grow", async () => {
    const { app, series } = createMetered();
    for (let call = 0; call < 5; call++) await post(app, "/tools/good/invoke", "{}");
    const buckets = [...(await series())].filter(([name]) =>
      name.startsWith('toolhost_call_duration_seconds_bucket{tool="good"'),
    );
    expect(buckets.length).toBeGreaterThan(10);
    const counts = buckets.map(([, count]) => count);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });

  it("does not grow by what strangers send", async () => {
    const { app, series } = createMetered();
    await post(app, "/tools/good/invoke", "{}");
    const before = (await series()).size;
    for (let stranger = 0; stranger < sizeOf(200, 50); stranger++) {
      await post(app, `/tools/none_${stranger}/invoke`, "{}");
      await post(app, "/calls", `{"calls":[{"name":"other_${stranger}"}]}`);
      await post(app, "/tools/good/invoke", "{", {
        "x-request-id": `r${stranger}`,
        "toolhost-session": `s${stranger}`,
      });
      await app.request(`/path-${stranger}`);
    }
    expect((await series()).size).toBe(before);
  });

  it("is not there where nobody counts", async () => {
    expect((await appOf([]).app.request("/metrics")).status).toBe(404);
  });
});

describe("GET /status", () => {
  it("tells of the version, the engine, the sources and what cannot run", async () => {
    const { app } = appOf([{ name: "b" }, { name: "a" }, { name: "gone", requires: ["UNSET_KEY"] }]);
    const response = await app.request("/status");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      version,
      engine: { kind: "memory", state: "connected" },
      sources: [{ name: "local", kind: "code", state: "ready", tools: 2, skipped: [], warnings: [] }],
      unavailable: [{ name: "gone", reason: expect.stringContaining("UNSET_KEY") }],
    });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("shows a source, with its own reason and those of its tools, and no other field", async () => {
    const source = {
      name: "x",
      kind: "folder",
      state: "failed",
      tools: 0,
      warnings: [{ name: "t", path: "/timeout", message: "it is not a field of a tool" }],
    } as const;
    const skipped = [{ name: "t", reason: "broken" }];
    const reason = "the server does not answer";
    const { app } = appOf([], { sources: () => [{ ...source, skipped, reason, isRead: true }] });
    const { sources } = (await (await app.request("/status")).json()) as { sources: unknown };
    expect(sources).toEqual([{ ...source, skipped: [{ name: "x", reason }, ...skipped] }]);
  });
});
