import { describe, expect, it } from "vitest";
import type { Method, Route } from "../../src/http/route.ts";
import { createRouteTable } from "../../src/http/route-table.ts";
import { appOf } from "./app-in-memory.ts";

const routeOf = (methodAndPath: string): Route => {
  const [method, path] = methodAndPath.split(" ") as [Method, string];
  return { method, path, isFor: "callers", handle: () => ({ status: 200, headers: {}, body: methodAndPath }) };
};

describe("a route table", () => {
  it("tries the most exact pattern first, whatever the order of the routes", async () => {
    const patterns = ["/jobs/:id", "/*", "/jobs/:id/log", "/jobs/*", "/jobs", "/jobs/stats", "/jobs/:id/:part", "/"];
    const answered: Record<string, string> = {
      "/": "/",
      "/jobs": "/jobs",
      "/jobs/stats": "/jobs/stats",
      "/jobs/7": "/jobs/:id",
      "/jobs/7/log": "/jobs/:id/log",
      "/jobs/7/other": "/jobs/:id/:part",
      "/jobs/7/log/8": "/jobs/*",
      "/jobs/": "/jobs/*",
      "/elsewhere": "/*",
      "/tools/none/invoke/x": "/*",
    };
    for (const order of [patterns, patterns.toReversed(), patterns.toSorted()]) {
      const { app } = appOf([{}], { doors: [() => order.map((path) => routeOf(`GET ${path}`))] });
      for (const [path, pattern] of Object.entries(answered)) {
        expect([path, await (await app.request(path)).text()]).toEqual([path, `GET ${pattern}`]);
      }
      expect((await app.request("/calls")).status).toBe(405);
      expect((await app.request("/tools")).headers.get("content-type")).toBe("application/json");
    }
  });

  it("joins the methods of patterns that differ in the names of their parameters alone", () => {
    const { paths } = createRouteTable([routeOf("GET /jobs/:id"), routeOf("DELETE /jobs/:job")]);
    expect(paths.map(({ path, allow }) => [path, allow])).toEqual([["/jobs/:id", "GET, HEAD, DELETE, OPTIONS"]]);
  });

  it.each([
    ["GET /tools", "There are two routes for GET /tools: the other is /tools."],
    ["GET /tools/:id", "There are two routes for GET /tools/:id: the other is /tools/:name."],
    ["POST /tools/:id/invoke", "There are two routes for POST /tools/:id/invoke: the other is /tools/:name/invoke."],
  ])("refuses %s, which the service has", (route, message) => {
    expect(() => appOf([], { doors: [() => [routeOf(route)]] })).toThrow(message);
  });

  it.each([
    "",
    "jobs",
    "/jobs/",
    "//jobs",
    "/jobs/*/x",
    "/jobs/a*",
    "/jobs/:",
    "/jobs/:1",
    "/jobs/{id}",
    "/a b",
    "/:a?",
  ])("refuses %j as a path", (path) => {
    expect(() => createRouteTable([{ ...routeOf("GET /"), path }])).toThrow("is not the path of a route");
  });
});
