import { describe, expect, it } from "vitest";
import { ToolError } from "../../../src/index.ts";
import { appOf, post } from "../app-in-memory.ts";

const weather = {
  name: "get_weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] }, days: { type: "array" } },
    additionalProperties: false,
  },
};

describe("POST /tools/{name}/invoke", () => {
  it("answers 200 with the result", async () => {
    const { app } = appOf([weather]);
    const { status, headers, body } = await post(app, "/tools/get_weather/invoke", '{"city":"Zürich"}');
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("toolhost-outcome")).toBe("ok");
    expect(body).toEqual({ status: "ok", callId: expect.stringMatching(/^[\w-]+$/), result: { city: "Zürich" } });
  });

  it("answers 200 with the error of arguments that break the schema, and does not run the tool", async () => {
    let runs = 0;
    const { app } = appOf([{ ...weather, execute: () => ++runs }]);
    const { status, headers, body } = await post(app, "/tools/get_weather/invoke", '{"unit":"celcius"}');
    expect(status).toBe(200);
    expect(headers.get("toolhost-outcome")).toBe("invalid_arguments");
    expect(body).toEqual({
      status: "error",
      callId: expect.any(String),
      error: {
        code: "invalid_arguments",
        message: expect.any(String),
        action: "fix_arguments",
        retryable: false,
        ran: "no",
        issues: [expect.objectContaining({ path: "/unit", keyword: "enum", suggestion: "celsius" })],
      },
    });
    expect(runs).toBe(0);
  });

  it.each(["[]", "null", '"{}"', "1", "true", "[[]]"])(
    "answers invalid_arguments at the root to the body %s",
    async (text) => {
      const { status, body } = await post(appOf([weather]).app, "/tools/get_weather/invoke", text);
      expect(status).toBe(200);
      expect(body.error).toMatchObject({ code: "invalid_arguments", ran: "no", issues: [{ path: "" }] });
    },
  );

  it.each([
    [
      "tool_failed",
      {
        execute: () => {
          throw new ToolError("Try Tuesday.", { retryable: true });
        },
      },
      { message: "Try Tuesday.", retryable: true, action: "retry" },
    ],
    ["tool_failed", { execute: () => Promise.reject(new Error("inner")) }, { retryable: false }],
    ["invalid_result", { execute: () => Number.NaN }, {}],
    ["result_too_large", { execute: () => "x".repeat(100), resultBytes: 50 }, {}],
    ["timeout", { execute: () => new Promise(() => undefined), timeoutMs: 5 }, { ran: "unknown" }],
    ["unavailable", { requires: ["UNSET_KEY"] }, { ran: "no", retryable: false }],
  ])("answers 200 with %s and says so in Toolhost-Outcome", async (code, fields, error) => {
    const { app } = appOf([fields]);
    const { status, headers, body } = await post(app, "/tools/tool/invoke", "{}");
    expect(status).toBe(200);
    expect(headers.get("toolhost-outcome")).toBe(code);
    expect(body).toMatchObject({ status: "error", callId: expect.any(String), error: { code, ...error } });
  });

  it("takes an empty body for {}, with or without a content type (B13)", async () => {
    const { app } = appOf([{}]);
    for (const type of [undefined, "application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      const headers = type === undefined ? undefined : { "content-type": type };
      const { status, body } = await post(app, "/tools/tool/invoke", undefined, headers);
      expect({ type, status, result: body.result }).toEqual({ type, status: 200, result: {} });
    }
  });

  it("hands the arguments over as they were sent", async () => {
    const text = '{"b":1,"a":[null,1.0,1e2,"\\ud83d\\ude00"],"":{"constructor":1,"toString":{}},"arguments":null}';
    const { body } = await post(appOf([{}]).app, "/tools/tool/invoke", text);
    expect(body.result).toEqual(JSON.parse(text));
    expect(Object.keys(body.result as object)).toEqual(["b", "a", "", "arguments"]);
  });

  it("sees the own properties of arguments only (B31)", async () => {
    const parameters = { type: "object", required: ["toString"], properties: { a: {} }, additionalProperties: false };
    const { app } = appOf([{ parameters }]);
    for (const text of ["{}", '{"constructor":1}', '{"hasOwnProperty":1}']) {
      expect((await post(app, "/tools/tool/invoke", text)).body.error?.code, text).toBe("invalid_arguments");
    }
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("a tool that is not there", () => {
  it("is 404 with the name that was probably meant", async () => {
    const { status, headers, body } = await post(appOf([weather]).app, "/tools/get_wether/invoke", "{}");
    expect(status).toBe(404);
    expect(headers.get("toolhost-outcome")).toBe("unknown_tool");
    expect(body).toEqual({
      status: "error",
      error: expect.objectContaining({ code: "unknown_tool", suggestion: "get_weather", retryable: false, ran: "no" }),
    });
  });

  it.each([
    "constructor",
    "toString",
    "__proto__",
    "hasOwnProperty",
    "valueOf",
    "GET_WEATHER",
    "%E0%A4%A",
    "%",
    "%00",
    "%ff",
    "a%2Fb",
    "..%2f..%2fetc",
    "a%0d%0ab",
    "get_weather%00",
    "get_weather%20",
    "get_we%D0%B0ther",
    "x".repeat(3000),
  ])("is 404 by the name %s (B27, B31, N1, N2, N3)", async (name) => {
    const { app } = appOf([weather]);
    const { status, headers, body } = await post(app, `/tools/${name}/invoke`, "{}");
    expect(status).toBe(404);
    expect(body.error?.code).toBe("unknown_tool");
    expect(headers.get("x-request-id")).toMatch(/^[\x21-\x7e]+$/);
    expect((await post(app, "/tools/get_weather/invoke", "{}")).status).toBe(200);
  });

  it("is not told apart by what its body holds", async () => {
    expect((await post(appOf([]).app, "/tools/none/invoke", "{")).status).toBe(404);
  });

  it("is the tool itself where its name is only spelled another way", async () => {
    expect((await post(appOf([weather]).app, "/tools/get%5Fweather/invoke", "{}")).status).toBe(200);
  });
});
