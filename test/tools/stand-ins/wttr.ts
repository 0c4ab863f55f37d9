import { jsonAnswer, startStandIn, textAnswer, type Answer, type RecordedRequest, type StandIn } from "./stand-in.ts";

/**
 * Starts a stand-in for wttr.in: its reading of paths, and its `format=j1` answer for any place.
 * A place whose name holds "nowhere" is unknown to it. `prefix` is a path in front of the place, as behind a proxy.
 */
export function startWttr({ prefix = "" }: { prefix?: string } = {}): Promise<StandIn> {
  const place = (request: RecordedRequest) => placeOf(request.path.slice(prefix.length));
  return startStandIn({
    refuse(request) {
      if (request.method !== "GET") return textAnswer("Method Not Allowed\n", 405);
      if (!request.path.startsWith(`${prefix}/`)) return textAnswer("404 page not found\n", 404);
      if (place(request).startsWith(":")) return textAnswer("Usage: a page of help\n");
      // Without the format the original draws the weather with characters.
      if (request.query.get("format") !== "j1") return textAnswer("Weather report: \\o/\n");
      return undefined;
    },
    answer(request) {
      const name = place(request);
      if (/nowhere/i.test(name)) return wttrAnswers.unknownPlace;
      return jsonAnswer(report(name === "" ? "Where the caller is" : name));
    },
  });
}

/** As the original does it: the path is decoded first and split then; two bytes are a language, some words a view. */
function placeOf(path: string): string {
  const [first = "", second = ""] = decodeURIComponent(path)
    .replace(/^\/+|\/+$/g, "")
    .split("/");
  if (second !== "") return second;
  const isLanguage = Buffer.byteLength(first) === 2;
  const isView = /^(files|page|line|v1|v1x|v2|p1|j1|j2)$/i.test(first);
  const isCaller = first === "MyLocation";
  if (isLanguage || isView || isCaller) return "";
  return first.replace(/^~/, "").replaceAll("+", " ");
}

/** The part of a j1 answer that tells of now and here, with one day of forecast cut short. */
export function report(areaName: string) {
  return {
    current_condition: [
      {
        FeelsLikeC: "19",
        FeelsLikeF: "67",
        cloudcover: "50",
        humidity: "60",
        localObsDateTime: "2026-11-28 09:12 AM",
        observation_time: "12:12 AM",
        temp_C: "21",
        temp_F: "70",
        weatherCode: "116",
        weatherDesc: [{ value: "Partly cloudy" }],
        weatherIconUrl: [{ value: "" }],
        winddir16Point: "NW",
        windspeedKmph: "13",
        windspeedMiles: "8",
      },
    ],
    nearest_area: [
      {
        areaName: [{ value: areaName }],
        country: [{ value: "Testland" }],
        latitude: "35.685",
        longitude: "139.751",
        region: [{ value: "" }],
      },
    ],
    request: [{ query: "Lat 35.69 and Lon 139.75", type: "LatLon" }],
    weather: [{ date: "2026-11-28", maxtempC: "23", mintempC: "14" }],
  };
}

/** The original's answers on bad days. */
export const wttrAnswers = {
  unknownPlace: textAnswer("Unknown location; please try ~-78.4641714,106.8346331\n", 500),
  notFound: textAnswer("404 not found\n", 404),
  unavailable: textAnswer("upstream connect error\n", 503),
  rateLimited: {
    ...textAnswer("Too many requests: slow down\n", 429),
    headers: { "retry-after": "30" },
  },
  html: {
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "<html><body><pre>Weather report: we are over capacity</pre></body></html>",
  },
  cutOff: { ...jsonAnswer(report("Kyoto")), cutOff: true },
  slow: { ...jsonAnswer(report("Kyoto")), delayMs: 5000 },
  wrapped: jsonAnswer({ data: report("Kyoto") }),
} as const satisfies Record<string, Answer>;
