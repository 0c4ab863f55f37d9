import { expect, it } from "vitest";
import { startService } from "./running-service.ts";

it("neither log nor metrics nor status hold arguments, results, keys or the environment", async () => {
  const key = "canary-key";
  const service = await startService({
    TOOLHOST_API_KEYS: `other,${key}`,
    TAVILY_API_KEY: "canary-environment",
    LOG_LEVEL: "trace",
  });
  const call = (tool: string, args: object, query = "", authorization = `Bearer ${key}`) =>
    service.request(`/tools/${tool}/invoke${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization, "toolhost-session": "canary-session" },
      body: JSON.stringify(args),
    });
  expect((await call("echo", { note: "canary-argument" })).status).toBe(200);
  for (const what of ["arguments", "error with the arguments", "throwing getter"]) {
    const answer = await call("throw", { what, note: "canary-argument" });
    expect(await answer.text()).not.toContain("canary");
  }
  await call("throw", { what: "canary-argument" });
  await call("echo", { note: "x" }, "?note=canary-argument");
  await call("echo", { note: "x" }, "", "Bearer canary-wrong-key");
  await call("canary-tool", {});
  const open = { headers: { authorization: `Bearer ${key}` } };
  const told = [
    await (await service.request("/metrics", open)).text(),
    await (await service.request("/status", open)).text(),
    await (await service.request("/openapi.json", open)).text(),
    await (await service.request("/livez")).text(),
  ];
  service.signal("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(told.join("\n")).not.toMatch(/canary/);
  expect(service.entries.filter(({ msg }) => msg === "call").length).toBe(5);
  expect(service.log).not.toMatch(/canary/);
});

it("what a tool throws stands in the log alone, with its stack", async () => {
  const service = await startService();
  const answer = await (await service.call("throw", { what: "error" })).text();
  service.signal("SIGTERM");
  await service.exited;
  expect(answer).not.toContain("secret-of-the-message");
  const [line] = service.entries.filter(({ msg }) => msg === "call");
  expect(line).toMatchObject({
    level: "warn",
    tool: "throw",
    code: "tool_failed",
    err: { type: "Error", message: "secret-of-the-message" },
  });
  expect(line).toHaveProperty("err.stack", expect.stringContaining("throw/tool.mjs"));
});
