import { expect } from "vitest";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { toolOf } from "../core/one-tool.ts";
import { requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { ask, call, expectAlive, get, sharedService } from "./service.ts";

const service = sharedService();

fault("N1", "tricks of a path name no tool, and harm nothing", async () => {
  const names = [
    "a%2Fb",
    "..%2f..%2fetc",
    "%00",
    "a%0d%0ab",
    "%ff",
    "a%252Fb",
    "x".repeat(3000),
    "ech%6f%00",
    "echo%20",
    "echo;x",
    "%E0%80%AF",
  ];
  for (const name of names) {
    const answer = await ask(service(), requestText(`POST /tools/${name}/invoke`, { body: "{}" }));
    expect({ name, known: ["unknown_tool", "not_found", "bad_request"].includes(answer.code) }).toEqual({
      name,
      known: true,
    });
    expect([400, 404]).toContain(answer.status);
  }
  for (const path of ["/tools/../tools/none/invoke", "/tools//invoke", "/tools/./invoke", "//tools/echo/invoke"]) {
    expect([400, 404, 405]).toContain((await ask(service(), requestText(`POST ${path}`, { body: "{}" }))).status);
  }
  await expectAlive(service());
});

fault("N2", "names of the prototype are no tools, by no door", async () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf", "prototype"]) {
    expect((await call(service(), name)).code).toBe("unknown_tool");
    expect((await get(service(), `/tools/${name}`)).status).toBe(404);
    const batch = await ask(service(), requestText("POST /calls", { body: JSON.stringify({ calls: [{ name }] }) }));
    expect(batch.body).toMatchObject({ results: [{ error: { code: "unknown_tool" } }] });
    expect((await call(service(), "echo", { ok: 1 }, { "toolhost-session": name })).body.result).toEqual({ ok: 1 });
  }
});

fault("N3", "letters that only look the same name no tool, and none can be registered", async () => {
  for (const name of ["ech\u043e", "echo\u202e", "\uff45cho", "e\u0301cho", "\u00e9cho", "echo\u200b", "ECHO"]) {
    expect((await call(service(), encodeURIComponent(name))).code).toBe("unknown_tool");
    if (name !== "ECHO") expect(() => createRegistry({ tools: [toolOf({ name })] })).toThrow(/name/);
  }
});

fault("N4", "a name that is taken stays with its first owner, and /status tells of the other", () => {
  const registry = createRegistry({ env: {} });
  registry.replace("first", [toolOf({ name: "pay", description: "First." })]);
  const skipped = registry.replace("second", [
    toolOf({ name: "pay" }),
    toolOf({ name: "Pay" }),
    toolOf({ name: "other" }),
  ]);
  expect(skipped).toEqual([{ name: "pay", reason: expect.stringContaining("first") }]);
  expect(registry.find("pay")?.declaration.description).toBe("First.");
  expect(registry.find("Pay")?.source).toBe("second");
  expect(registry.find("other")?.source).toBe("second");
});
