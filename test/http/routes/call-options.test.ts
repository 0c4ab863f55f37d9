import { describe, expect, it } from "vitest";
import { appOf, type BodyBytes, post } from "../app-in-memory.ts";

const weather = {
  name: "get_weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] }, days: { type: "array" } },
    additionalProperties: false,
  },
};

describe("the query of a call", () => {
  it("timeoutMs shortens the tool's limit and never lengthens it", async () => {
    const execute = () => new Promise(() => undefined);
    const { app } = appOf([
      { name: "slow", execute },
      { name: "quick", timeoutMs: 20, execute },
    ]);
    for (const [name, timeoutMs] of [
      ["slow", "20"],
      ["quick", "60000"],
      ["quick", "99999999999999"],
      ["quick", "9".repeat(20)],
      ["quick", "9".repeat(400)],
    ] as const) {
      const { body } = await post(app, `/tools/${name}/invoke?timeoutMs=${timeoutMs}`, "{}");
      expect(body.error?.code).toBe("timeout");
      expect(body.error?.message).toContain("20 ms");
    }
  });

  it("repair mends what breaks the schema, and says what it mended", async () => {
    const { app } = appOf([weather]);
    const { body } = await post(app, "/tools/get_weather/invoke?repair=true", '{"days":"[1]","city":null}');
    expect(body).toMatchObject({ status: "ok", result: { days: [1] } });
    expect(body.repairs).toEqual(
      expect.arrayContaining([
        { path: "/days", kind: "parsed_json" },
        { path: "/city", kind: "dropped_null" },
      ]),
    );
    for (const query of ["", "?repair=false"]) {
      const off = await post(app, `/tools/get_weather/invoke${query}`, '{"days":"[1]"}');
      expect(off.body.error?.code).toBe("invalid_arguments");
    }
  });

  it("hash runs the declaration that it names and no other", async () => {
    const { app, registry } = appOf([weather]);
    const { hash } = registry.find("get_weather")!.declaration;
    for (const written of [hash, encodeURIComponent(hash)]) {
      expect((await post(app, `/tools/get_weather/invoke?hash=${written}`, "{}")).body.status).toBe("ok");
    }
    const other = await post(app, `/tools/get_weather/invoke?hash=sha256:${"0".repeat(64)}`, "{}");
    expect(other.status).toBe(200);
    expect(other.body.error).toMatchObject({ code: "declaration_changed", ran: "no" });
  });

  it.each([
    "timeoutMs=0",
    "timeoutMs=-5",
    "timeoutMs=1.5",
    "timeoutMs=1e3",
    "timeoutMs=",
    "timeoutMs=abc",
    "timeoutMs=0x10",
    "timeoutMs=%FF",
    "timeoutMs=5&timeoutMs=5",
    "repair=1",
    "repair=",
    "repair=TRUE",
    "repair",
    "hash=",
    "hash=md5:1",
    "hash=sha256:abc",
    `hash=sha256:${"A".repeat(64)}`,
    "timeoutms=5",
    "timeout=5",
    "format=openai",
    "__proto__=1",
    "%ZZ=1",
  ])("is 400 for %s, and nothing runs", async (query) => {
    let runs = 0;
    const { app } = appOf([{ execute: () => ++runs }]);
    const { status, headers, body } = await post(app, `/tools/tool/invoke?${query}`, "{}");
    expect(status).toBe(400);
    expect(headers.get("toolhost-outcome")).toBe("bad_request");
    expect(body.error).toMatchObject({ code: "bad_request", ran: "no", action: "fix_arguments" });
    expect(runs).toBe(0);
  });
});

describe("the headers of a call", () => {
  it("Toolhost-Session reaches the tool as it came, up to 255 characters", async () => {
    const { app } = appOf([{ execute: (_args, context) => context.session ?? null }]);
    const call = (headers: Record<string, string>) => post(app, "/tools/tool/invoke", "{}", headers);
    expect((await call({})).body.result).toBeNull();
    expect((await call({ "toolhost-session": "s 1/ä" })).body.result).toBe("s 1/ä");
    expect((await call({ "toolhost-session": "s".repeat(255) })).body.result).toBe("s".repeat(255));
    const tooLong = await call({ "toolhost-session": "s".repeat(256) });
    expect({ status: tooLong.status, code: tooLong.body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });

  it.each([[{ "idempotency-key": "k" }], [{ prefer: "respond-async" }], [{ prefer: "wait=5, Respond-Async" }]])(
    "%o is refused rather than ignored, on invoke and on /calls",
    async (headers) => {
      let runs = 0;
      const { app } = appOf([{ execute: () => ++runs }]);
      for (const [path, text] of [
        ["/tools/tool/invoke", "{}"],
        ["/calls", '{"calls":[{"name":"tool"}]}'],
      ] as const) {
        const { status, body } = await post(app, path, text, headers);
        expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
        expect(body.error?.message).toContain("not supported");
      }
      expect(runs).toBe(0);
    },
  );

  it("other preferences are ignored, as RFC 7240 asks", async () => {
    const { status } = await post(appOf([{}]).app, "/tools/tool/invoke", "{}", {
      prefer: "handling=lenient, respond-asynchronously=1",
    });
    expect(status).toBe(200);
  });

  it("X-Request-Id is echoed where it is sane, and made where it is not", async () => {
    const { app } = appOf([{}]);
    const idFor = async (sent?: string) => {
      const { headers } = await post(
        app,
        "/tools/tool/invoke",
        "{}",
        sent === undefined ? {} : { "x-request-id": sent },
      );
      return headers.get("x-request-id") ?? "";
    };
    expect(await idFor("req-1/2")).toBe("req-1/2");
    const made = [
      await idFor(),
      await idFor(),
      await idFor("with space"),
      await idFor("x".repeat(201)),
      await idFor("é"),
    ];
    expect(new Set(made).size).toBe(made.length);
    for (const id of made) expect(id).toMatch(/^[\w.-]{5,60}$/);
  });

  it("X-Request-Id and Toolhost-Outcome stand on every answer to a call", async () => {
    const { app } = appOf(
      [
        { name: "tool" },
        {
          name: "bad",
          execute: () => {
            throw new Error("x");
          },
        },
      ],
      { apiKeys: ["k"] },
    );
    const authorization = "Bearer k";
    const answers: Array<[string, BodyBytes | undefined, Record<string, string>]> = [
      ["/tools/tool/invoke", "{}", { authorization }],
      ["/tools/bad/invoke", "{}", { authorization }],
      ["/tools/none/invoke", "{}", { authorization }],
      ["/tools/tool/invoke", "{", { authorization }],
      ["/tools/tool/invoke", "{}", {}],
      ["/tools/tool/invoke", "{}", { authorization, origin: "http://elsewhere" }],
      ["/tools/tool/invoke", "{}", { authorization, "content-type": "text/plain" }],
      ["/tools/tool/invoke?x=1", "{}", { authorization }],
    ];
    const seen: Array<string | null> = [];
    for (const [path, text, headers] of answers) {
      const answer = await post(app, path, text, { "x-request-id": "same", ...headers });
      expect(answer.headers.get("x-request-id")).toBe("same");
      expect(answer.headers.get("toolhost-outcome")).toBe(answer.body.error?.code ?? "ok");
      seen.push(answer.headers.get("toolhost-outcome"));
    }
    expect(seen).toEqual([
      "ok",
      "tool_failed",
      "unknown_tool",
      "bad_request",
      "unauthorized",
      "forbidden",
      "unsupported_media_type",
      "bad_request",
    ]);
  });
});
