import { describe, expect, it } from "vitest";
import { appOf, readAnswer } from "./app-in-memory.ts";

const metrics = () => "";

describe("a method that a path does not take", () => {
  it.each([
    ["/tools", "GET, HEAD, OPTIONS", ["POST", "PUT", "DELETE", "PATCH"]],
    ["/tools/tool", "GET, HEAD, OPTIONS", ["POST", "PUT", "DELETE"]],
    ["/tools/tool/invoke", "POST, OPTIONS", ["GET", "HEAD", "PUT", "DELETE"]],
    ["/calls", "POST, OPTIONS", ["GET", "HEAD", "PUT"]],
    ["/status", "GET, HEAD, OPTIONS", ["POST", "DELETE"]],
    ["/openapi.json", "GET, HEAD, OPTIONS", ["POST"]],
    ["/metrics", "GET, HEAD, OPTIONS", ["POST"]],
    ["/livez", "GET, HEAD, OPTIONS", ["POST", "TRACE2"]],
    ["/readyz", "GET, HEAD, OPTIONS", ["PUT"]],
    ["/healthz", "GET, HEAD, OPTIONS", ["PUT"]],
  ])("is 405 on %s, with Allow: %s", async (path, allow, methods) => {
    const { app } = appOf([{}], { metrics });
    for (const method of methods) {
      const response = await app.request(path, { method });
      expect({ method, status: response.status }).toEqual({ method, status: 405 });
      expect(response.headers.get("allow")).toBe(allow);
      if (method === "HEAD") continue;
      expect(await response.json()).toMatchObject({
        status: "error",
        error: { code: "method_not_allowed", ran: "no" },
      });
    }
    const options = await app.request(path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([204, allow, ""]);
  });
});

it.each([
  "/",
  "/tool",
  "/tools/",
  "/tools/tool/",
  "/tools/tool/invoke/",
  "/tools/tool/invoke/x",
  "//tools",
  "/TOOLS",
  "/%74ools/",
  "/jobs/x",
  "/calls/",
  "/.env",
  "/%",
])("there is nothing at %s, and 404 says so in the shape of every error", async (path) => {
  const { app } = appOf([{}], { metrics });
  for (const method of ["GET", "POST"]) {
    const { status, headers, body } = await readAnswer(await app.request(path, { method }));
    expect(status).toBe(404);
    expect(headers.get("toolhost-outcome")).toBe("not_found");
    expect(body).toMatchObject({ status: "error", error: { code: "not_found", ran: "no", retryable: false } });
  }
});

it("a path with a slash at its end is answered with the path to try", async () => {
  const { app } = appOf([{}], { metrics });
  const messageOf = async (path: string) => {
    const { body } = await readAnswer(await app.request(path));
    return (body as { error: { message: string } }).error.message;
  };
  expect(await messageOf("/tools/")).toContain("try /tools,");
  expect(await messageOf("/nowhere")).not.toContain("slash");
});
