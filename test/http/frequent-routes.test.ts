import { expect, test } from "vitest";
import { createFindFrequent } from "../../src/http/frequent-routes.ts";
import type { Route } from "../../src/http/route.ts";

const routeOf = (path: string, more: Partial<Route> = {}): Route => ({
  method: "POST",
  path,
  isFor: "anyone",
  isFrequent: true,
  handle: () => undefined,
  ...more,
});

const find = createFindFrequent([
  routeOf("/mcp"),
  routeOf("/workers/:id/poll"),
  routeOf("/workers/:id/calls"),
  routeOf("/workers/:id/calls/:callId"),
  routeOf("/rare/:id", { isFrequent: false }),
  routeOf("/read/:id", { method: "GET" }),
  routeOf("/mcp", { method: "GET", isFrequent: false }),
]);

test.each<[string, string | undefined, object]>([
  ["/mcp", "/mcp", {}],
  ["/mcp/", undefined, {}],
  ["/workers/w/poll", "/workers/:id/poll", { id: "w" }],
  ["/workers/w/calls", "/workers/:id/calls", { id: "w" }],
  ["/workers/w/calls/c-1", "/workers/:id/calls/:callId", { id: "w", callId: "c-1" }],
  ["/workers/__proto__/poll", "/workers/:id/poll", { id: "__proto__" }],
  ["/workers/w/calls/", undefined, {}],
  ["/workers//poll", undefined, {}],
  ["/workers/w/other", undefined, {}],
  ["/workers/w/calls/c/more", undefined, {}],
  ["/workers", undefined, {}],
  ["/others/w/poll", undefined, {}],
  ["/rare/1", undefined, {}],
  ["/read/1", undefined, {}],
  ["", undefined, {}],
  ["*", undefined, {}],
])("%s belongs to the frequent route %s", (path, route, parameters) => {
  const found = find("POST", path);
  expect(found?.route.path).toBe(route);
  if (found !== undefined) expect(found.parameters).toEqual(parameters);
});

test("Hono decodes what is percent-encoded", () => {
  expect(find("POST", "/workers/a%2Fb/poll")).toBeUndefined();
});

test.each<[string, string, string | undefined]>([
  ["GET", "/read/1", "/read/:id"],
  ["HEAD", "/read/1", undefined],
  ["OPTIONS", "/read/1", undefined],
  ["GET", "/mcp", undefined],
  ["PUT", "/mcp", undefined],
])("%s %s belongs to the frequent route %s", (method, path, route) => {
  expect(find(method, path)?.route.path).toBe(route);
});
