import type { Route } from "../route.ts";

/** `GET /metrics`. @param text in the format of Prometheus */
export function createMetricsRoute(text: () => string): Route<"/metrics"> {
  return {
    method: "GET",
    path: "/metrics",
    isFor: "operators",
    handle: () => ({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: text(),
    }),
  };
}
