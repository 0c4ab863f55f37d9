import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { ToolError, UpstreamError } from "../../src/errors/errors.ts";
import { tool } from "../../tools/get_weather/tool.ts";
import { readFolder } from "./folder-schemas.ts";
import { jsonAnswer, type Answer, type StandIn } from "./stand-ins/stand-in.ts";
import { report, startWttr, wttrAnswers } from "./stand-ins/wttr.ts";
import { failureOf, toolContext } from "./tool-context.ts";

let wttr: StandIn;
beforeAll(async () => {
  wttr = await startWttr();
});
beforeEach(() => {
  vi.stubEnv("WEATHER_BASE_URL", wttr.url);
  wttr.respondWith();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => wttr.close());

const weatherIn = (location: string) => tool.execute({ location }, toolContext());
const failureWith = (answer: Answer) => {
  wttr.respondWith(answer);
  return failureOf(weatherIn("Kyoto"));
};

function reportWithout(field: string): Answer {
  return reportWith(field, undefined);
}

function reportWith(field: string, value: unknown): Answer {
  const whole = report("Kyoto");
  return jsonAnswer({
    ...whole,
    current_condition: [{ ...whole.current_condition[0], [field]: value }],
  });
}

describe("a known place", () => {
  it("gets numbers and words that fit response.json", async () => {
    const result = await weatherIn("Kyoto");
    expect(result).toEqual({
      location: "Kyoto",
      matched_area: "Kyoto, Testland",
      condition: "Partly cloudy",
      current_temp_c: 21,
      feels_like_c: 19,
      humidity_percent: 60,
      wind_kph: 13,
      observed_at: "2026-11-28 09:12 AM",
    });
    expect(readFolder("get_weather").response(result)).toBe(true);
  });

  it("gets Fahrenheit beside Celsius where it is asked for", async () => {
    const result = await tool.execute({ location: "Kyoto", unit: "fahrenheit" }, toolContext());
    expect(result).toMatchObject({ current_temp_c: 21, current_temp_f: 70, feels_like_f: 67 });
    expect(readFolder("get_weather").response(result)).toBe(true);
  });

  it("gets the same from an answer that is wrapped in data", async () => {
    wttr.respondWith(wttrAnswers.wrapped);
    expect(await weatherIn("Kyoto")).toMatchObject({
      current_temp_c: 21,
      condition: "Partly cloudy",
    });
  });

  it("may be below zero", async () => {
    wttr.respondWith(reportWith("temp_C", "-7"));
    expect(await weatherIn("Kyoto")).toMatchObject({ current_temp_c: -7 });
  });

  it.each(["FeelsLikeC", "humidity", "windspeedKmph", "localObsDateTime"])("can do without %s", async (field) => {
    wttr.respondWith(reportWithout(field));
    const result = await weatherIn("Kyoto");
    expect(Object.values(result)).toHaveLength(7);
    expect(readFolder("get_weather").response(result)).toBe(true);
  });
});

describe("the request", () => {
  it.each([
    "São Paulo",
    "東京",
    "القاهرة",
    "'s-Hertogenbosch",
    "48.86,2.35",
    "-33.87,151.21",
    "a?b=c&d#e",
    "100%",
    "%2e%2e",
    "../Paris",
    "Frankfurt/Oder",
    "S:t Olof",
  ])("carries %s as one segment", async (location) => {
    await weatherIn(location);
    const { path, query } = wttr.requests.at(-1)!;
    expect(path.split("/")).toHaveLength(2);
    expect(decodeURIComponent(path.slice(1))).toBe(location);
    expect([...query]).toEqual([["format", "j1"]]);
  });

  it.each(["LA", "LA/", "Å", "j2", "V2", "MyLocation"])(
    "searches for %s, which wttr.in would not take for a place",
    async (location) => {
      expect(await weatherIn(location)).toMatchObject({
        matched_area: `${location.replace("/", "")}, Testland`,
      });
    },
  );

  it.each([".", "..", "...", "/", " ", "?", ":help", "../:help", "~", "~Paris", "@example.com", "a\nb", "\ud800x"])(
    "is not made for %j",
    async (location) => {
      const before = wttr.requests.length;
      const failure = await failureOf(weatherIn(location));
      expect(failure).toBeInstanceOf(ToolError);
      expect(failure).toMatchObject({ retryable: false });
      expect(wttr.requests).toHaveLength(before);
    },
  );

  it.each(["/proxy/wttr", "/proxy/wttr/"])("keeps the base address's path %s", async (path) => {
    const behindProxy = await startWttr({ prefix: "/proxy/wttr" });
    vi.stubEnv("WEATHER_BASE_URL", `${behindProxy.url}${path}`);
    expect(await weatherIn("Kyoto")).toMatchObject({ matched_area: "Kyoto, Testland" });
    expect(behindProxy.requests.at(-1)?.path).toBe("/proxy/wttr/Kyoto");
    await behindProxy.close();
  });

  it("takes a base address that ends with a slash", async () => {
    vi.stubEnv("WEATHER_BASE_URL", `${wttr.url}/`);
    await weatherIn("Kyoto");
    expect(wttr.requests.at(-1)?.path).toBe("/Kyoto");
  });
});

describe("an unknown place", () => {
  it.each([wttrAnswers.unknownPlace, wttrAnswers.notFound, { ...wttrAnswers.unknownPlace, status: 200 }])(
    "tells the model to check it ($status)",
    async (answer) => {
      const failure = await failureWith(answer);
      expect(failure).toBeInstanceOf(ToolError);
      expect(failure).toMatchObject({
        retryable: false,
        message: expect.stringContaining("Check the spelling"),
      });
    },
  );

  it("is told apart by its name in the stand-in too", async () => {
    expect(await failureOf(weatherIn("Nowhereville"))).toBeInstanceOf(ToolError);
  });
});

describe("a failing weather service", () => {
  it("passes on how many seconds to wait", async () => {
    const failure = await failureWith(wttrAnswers.rateLimited);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ status: 429, retryAfterMs: 30000 });
  });

  it("is told apart from its error page, whatever encoding that has", async () => {
    const page = Buffer.from([0xfc, 0x62, 0x65, 0x72]);
    expect(await failureWith({ ...wttrAnswers.rateLimited, body: page })).toMatchObject({
      status: 429,
      retryAfterMs: 30000,
    });
  });

  it("passes on a date to wait for", async () => {
    const date = new Date(Date.now() + 60000).toUTCString();
    const failure = await failureWith({ status: 429, headers: { "retry-after": date } });
    const { retryAfterMs = 0 } = failure as UpstreamError;
    expect(retryAfterMs).toBeGreaterThan(50000);
    expect(retryAfterMs).toBeLessThanOrEqual(60000);
  });

  it.each(["soon", "-5", "1.5", ""])("ignores the Retry-After %j", async (value) => {
    const failure = await failureWith({ status: 429, headers: { "retry-after": value } });
    expect(failure).toMatchObject({ status: 429 });
    expect((failure as UpstreamError).retryAfterMs).toBeUndefined();
  });

  it("tells its status", async () => {
    const failure = await failureWith(wttrAnswers.unavailable);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ status: 503 });
  });

  it.each([
    ["a page of HTML", wttrAnswers.html],
    ["an array", jsonAnswer([])],
    ["no report", jsonAnswer({})],
    ["an empty report", jsonAnswer({ current_condition: [] })],
    ["no temperature", reportWithout("temp_C")],
    ["a temperature that is no number", reportWith("temp_C", "warm")],
    ["an empty temperature", reportWith("temp_C", "")],
    ["a humidity that is no number", reportWith("humidity", "n/a")],
    ["no description", reportWithout("weatherDesc")],
    ["nothing", { body: "" }],
  ])("may send %s", async (_, answer) => {
    const failure = await failureWith(answer);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ status: 200 });
  });

  it("may break off in the middle", async () => {
    const failure = await failureWith(wttrAnswers.cutOff);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect((failure as UpstreamError).status).toBeUndefined();
  });

  it("is never quoted to the model", async () => {
    for (const answer of [wttrAnswers.html, wttrAnswers.unavailable, wttrAnswers.rateLimited]) {
      const { message } = (await failureWith(answer)) as Error;
      expect(message).not.toContain("capacity");
      expect(message).not.toContain("connect error");
      expect(message).not.toContain("slow down");
    }
  });

  it("is left when the call's signal ends", async () => {
    wttr.respondWith(wttrAnswers.slow);
    const reason = new Error("the time limit passed");
    const call = new AbortController();
    const failure = failureOf(tool.execute({ location: "Kyoto" }, toolContext(call.signal)));
    setTimeout(() => call.abort(reason), 20);
    expect(await failure).toBe(reason);
  });
});
