import { ToolError, type UpstreamError } from "../../src/errors/errors.ts";
import type { Tool, ToolContext } from "../../src/tool/tool.ts";
import { failedAnswer, isObject, malformedAnswer, parseObject, readBody } from "../upstream-json.ts";

type WeatherArguments = { location: string; unit?: "celsius" | "fahrenheit" };

const service = "weather service";

export const tool = {
  name: "get_weather",
  title: "Current weather",
  description:
    'Gets the weather at a place right now: temperature, what it feels like, humidity, wind and a description such as "Partly cloudy". It contains no forecast. Compare matched_area with the place that was meant.',
  tags: ["weather"],
  timeoutMs: 3000,
  annotations: { readOnly: true, idempotent: true, openWorld: true },
  async execute({ location, unit }: WeatherArguments, context: ToolContext) {
    const response = await context.fetch(weatherUrl(location), {
      headers: { accept: "application/json" },
    });
    const text = await readBody(response, service, context.signal);
    if (isUnknownPlace(response.status, text)) throw unknownPlace();
    if (!response.ok) throw refusedRequest(response);
    return readWeather(parseObject(text, response, service), location, unit, () => malformedAnswer(response, service));
  },
} satisfies Omit<Tool, "parameters" | "response">;

/**
 * `<base>/<place>?format=j1`, with the place as one segment.
 * What wttr.in takes for something other than a place is refused or marked as a search.
 */
function weatherUrl(location: string): URL {
  const place = location.replace(/^[\s/]+|[\s/]+$/g, "");
  // Without a letter or digit it is no name, and "." and ".." would leave the path, even encoded.
  const isNamed = /[\p{L}\p{N}]/u.test(place) && !/[\p{Cc}\p{Cs}]/u.test(place);
  // These signs open wttr.in's own pages (":help"), searches ("~") and domain look-ups ("@"),
  // behind a slash too, for it decodes the path before it splits it.
  const isPage = /(^|\/)\s*[:~@]/.test(place);
  if (!isNamed || isPage) {
    throw new ToolError(
      '`location` is not a place. Give the name of a town, region or landmark such as "Paris" or "Kyoto, Japan", or coordinates such as "48.86,2.35", without ":", "~" or "@" in front.',
    );
  }
  const url = new URL(process.env["WEATHER_BASE_URL"] || "https://wttr.in");
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = `${path}/${isReserved(place) ? "~" : ""}${encodeURIComponent(place)}`;
  url.searchParams.set("format", "j1");
  return url;
}

/** wttr.in reads any path of two bytes as a language and these words as views, and then answers for its caller's place. */
function isReserved(place: string): boolean {
  if (Buffer.byteLength(place) === 2) return true;
  return /^(moon|mylocation|files|page|line|v1|v1x|v2|p1|j1|j2)$/i.test(place);
}

/** wttr.in says this in plain text, by version under status 200, 404 or 500, even where JSON was asked for. */
function isUnknownPlace(status: number, text: string): boolean {
  if (status === 404) return true;
  return (status === 200 || status === 500) && /^\W*unknown location\b/i.test(text);
}

function unknownPlace(): ToolError {
  return new ToolError(
    'The weather service does not know this place. Check the spelling, add the country ("Springfield, Illinois, USA"), or give a larger place nearby.',
  );
}

function refusedRequest(response: Response): UpstreamError {
  if (response.status === 429) {
    return failedAnswer(response, "The weather service accepts no more requests for now. Try again later.");
  }
  return failedAnswer(
    response,
    `The weather service failed with status ${response.status}. Try again later, or say that the weather is not available.`,
  );
}

function readWeather(
  answer: Record<string, unknown>,
  location: string,
  unit: WeatherArguments["unit"],
  malformed: () => UpstreamError,
) {
  // Some versions of wttr.in put everything below "data".
  const report = isObject(answer["data"]) ? answer["data"] : answer;
  const now = first(report["current_condition"]);
  const condition = textOf(now?.["weatherDesc"]);
  if (now === undefined || condition === undefined) throw malformed();

  const optional = (field: string) => {
    if (now[field] === undefined) return undefined;
    return required(field);
  };
  const required = (field: string) => {
    const value = numberOf(now[field]);
    if (value === undefined) throw malformed();
    return value;
  };
  const fahrenheit = unit === "fahrenheit";
  return withoutAbsent({
    location,
    matched_area: areaOf(report["nearest_area"]),
    condition,
    current_temp_c: required("temp_C"),
    feels_like_c: optional("FeelsLikeC"),
    current_temp_f: fahrenheit ? required("temp_F") : undefined,
    feels_like_f: fahrenheit ? optional("FeelsLikeF") : undefined,
    humidity_percent: optional("humidity"),
    wind_kph: optional("windspeedKmph"),
    observed_at: typeof now["localObsDateTime"] === "string" ? now["localObsDateTime"] : undefined,
  });
}

function areaOf(nearestArea: unknown): string | undefined {
  const area = first(nearestArea);
  const names = [area?.["areaName"], area?.["region"], area?.["country"]].map(textOf);
  const known = names.filter((name) => name !== undefined);
  return known.length === 0 ? undefined : [...new Set(known)].join(", ");
}

/** wttr.in wraps texts as `[{"value": "…"}]`. */
function textOf(wrapped: unknown): string | undefined {
  const value = first(wrapped)?.["value"];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** wttr.in writes numbers as strings. */
function numberOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[+-]?\d{1,6}(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}

function first(list: unknown): Record<string, unknown> | undefined {
  const entry: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(entry) ? entry : undefined;
}

function withoutAbsent(record: Record<string, string | number | undefined>) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
