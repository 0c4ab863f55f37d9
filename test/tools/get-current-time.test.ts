import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ToolError } from "../../src/errors/errors.ts";
import { tool } from "../../tools/get_current_time/tool.ts";
import { readFolder } from "./folder-schemas.ts";
import { failureOf } from "./tool-context.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

function timeAt(utc: string, timezone?: string) {
  vi.setSystemTime(utc);
  return tool.execute(timezone === undefined ? {} : { timezone });
}

describe("the current time", () => {
  it("is in UTC where no zone is named", async () => {
    const result = await timeAt("2026-11-28T00:00:00.987Z");
    expect(result).toEqual({
      timezone: "UTC",
      iso: "2026-11-28T00:00:00+00:00",
      utc: "2026-11-28T00:00:00Z",
      unix_seconds: 1795824000,
      weekday: "Saturday",
    });
    expect(readFolder("get_current_time").response(result)).toBe(true);
  });

  it.each([
    ["Asia/Tokyo", "2026-11-28T00:00:00Z", "2026-11-28T09:00:00+09:00"],
    ["Asia/Kathmandu", "2026-11-28T00:00:00Z", "2026-11-28T05:45:00+05:45"],
    ["America/St_Johns", "2026-11-28T00:00:00Z", "2026-11-27T20:30:00-03:30"],
    ["Pacific/Kiritimati", "2026-12-31T12:00:00Z", "2027-01-01T02:00:00+14:00"],
    ["Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"],
    ["Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"],
    ["Europe/London", "2026-06-01T12:00:00Z", "2026-06-01T13:00:00+01:00"],
    ["America/New_York", "2026-11-01T06:00:00Z", "2026-11-01T01:00:00-05:00"],
    ["Europe/Berlin", "2026-11-27T23:00:00Z", "2026-11-28T00:00:00+01:00"],
  ])("in %s at %s is %s", async (timezone, utc, iso) => {
    const result = await timeAt(utc, timezone);
    expect(result).toMatchObject({ timezone, iso, utc });
    expect(Date.parse(result.iso)).toBe(Date.parse(utc));
  });

  it("names the local weekday", async () => {
    expect(await timeAt("2026-11-27T20:00:00Z", "Asia/Tokyo")).toMatchObject({
      weekday: "Saturday",
    });
    expect(await timeAt("2026-11-27T20:00:00Z", "UTC")).toMatchObject({ weekday: "Friday" });
  });
});

describe("an unknown time zone", () => {
  it.each(["Asia/Tokio", "Mars/Olympus", "+09:00", "", " "])("%j gets the form to use", async (timezone) => {
    const failure = await failureOf(timeAt("2026-11-28T00:00:00Z", timezone));
    expect(failure).toBeInstanceOf(ToolError);
    expect(failure).toMatchObject({ retryable: false, message: expect.stringContaining("IANA") });
  });

  it.each([
    ["Tokyo", "Asia/Tokyo"],
    ["new york", "America/New_York"],
  ])("%j gets the zone that was meant", async (timezone, meant) => {
    const failure = await failureOf(timeAt("2026-11-28T00:00:00Z", timezone));
    expect(failure).toMatchObject({ message: expect.stringContaining(`"${meant}"`) });
  });
});
