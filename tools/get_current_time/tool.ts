import { ToolError } from "../../src/errors/errors.ts";
import type { Tool } from "../../src/tool/tool.ts";

type TimeArguments = { timezone?: string };

export const tool = {
  name: "get_current_time",
  title: "Current time",
  description:
    'Gets the date, time and weekday at this moment in one time zone. Call it before you reason about "today", "now" or how long ago something was.',
  tags: ["time"],
  timeoutMs: 1000,
  annotations: { readOnly: true, openWorld: false },
  async execute({ timezone = "UTC" }: TimeArguments) {
    const seconds = Math.floor(Date.now() / 1000);
    const instant = new Date(seconds * 1000);
    const { weekday, iso } = localTime(instant, timezone);
    return {
      timezone,
      iso,
      utc: instant.toISOString().replace(".000Z", "Z"),
      unix_seconds: seconds,
      weekday,
    };
  },
} satisfies Omit<Tool, "parameters" | "response">;

function localTime(instant: Date, timezone: string): { weekday: string; iso: string } {
  const parts = Object.fromEntries(
    formatIn(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second, weekday = "", timeZoneName = "" } = parts;
  // "GMT+05:45", and plain "GMT" where there is no offset.
  const offset = timeZoneName.replace("GMT", "") || "+00:00";
  return { weekday, iso: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}` };
}

function formatIn(timezone: string): Intl.DateTimeFormat {
  // Newer versions of Node take "+09:00" for a zone and older ones do not; a tool answers the same on both.
  if (/^[+-]/.test(timezone)) throw unknownZone(timezone);
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "gregory",
      numberingSystem: "latn",
      // h23: with `hour12: false` midnight would be 24.
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
      timeZoneName: "longOffset",
    });
  } catch (error) {
    if (error instanceof RangeError) throw unknownZone(timezone);
    throw error;
  }
}

function unknownZone(timezone: string): ToolError {
  const city = timezone.trim().toLowerCase().replaceAll(" ", "_");
  const meant = Intl.supportedValuesOf("timeZone").find((zone) => zone.toLowerCase().endsWith(`/${city}`));
  const hint =
    meant === undefined
      ? 'Use the IANA form Area/City, such as "Asia/Tokyo" or "America/New_York"; abbreviations and offsets are not zones.'
      : `Use "${meant}".`;
  return new ToolError(`\`timezone\` is not a time zone that is known here. ${hint}`);
}
