import { expect, test } from "vitest";
import { sha256 } from "../../src/access/keys.ts";
import { startInMemory, toolFile } from "../service/service-in-memory.ts";
import { declarationOf } from "./scripted-worker.ts";

const json = { "content-type": "application/json" };

/** A configuration whose tokens are `one` and `two`, with what is said of them. */
function fileOf(tokens: Readonly<Record<string, string>>, more = ""): string {
  const list = Object.entries(tokens).map(([text, rights]) => `{ name: ${text}, sha256: ${sha256(text)}${rights} }`);
  const workers = list.length === 0 ? "" : `  - workers: { tokens: [${list.join(", ")}] }\n`;
  return `tools:\n  - folder: ./tools\n${workers}${more}`;
}

async function startWith(file: string) {
  const memory = await startInMemory({ "toolhost.yaml": file, "tools/own/tool.mjs": toolFile("own", "own") });
  const ask = async (method: string, path: string, token: string, body?: unknown) => {
    const response = await memory.service.request(path, {
      method,
      headers: { ...json, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, body: read as { workerId: string; tools: object[]; error: { code: string } } };
  };
  return {
    ...memory,
    ask,
    register: async (token: string, name: string, ...tools: string[]) =>
      ask("POST", "/workers", token, { name, tools: tools.map((tool) => declarationOf(tool)) }),
    poll: async (token: string, id: string) => (await ask("POST", `/workers/${id}/poll?waitMs=0`, token)).status,
  };
}

test("without an entry `workers` there are no routes of workers", async () => {
  const { ask, write, reload, register } = await startWith(fileOf({}));
  expect((await ask("POST", "/workers", "one", {})).status).toBe(404);
  write({ "toolhost.yaml": fileOf({ one: "" }) });
  await reload();
  expect((await register("one", "billing", "charge")).status).toBe(201);
});

test("a reload keeps the workers of tokens that stay, and drops those of tokens that are gone", async () => {
  const { write, reload, register, poll, call, service } = await startWith(fileOf({ one: "", two: "" }));
  const stays = await register("one", "billing", "charge");
  const goes = await register("two", "crm", "find");
  const running = call("find");
  await expect.poll(() => service.registry.load.calls).toBe(1);
  write({ "toolhost.yaml": fileOf({ one: "" }) });
  await reload();
  expect(await running).toBe("unavailable");
  expect(await poll("one", stays.body.workerId)).toBe(200);
  expect(await poll("two", goes.body.workerId)).toBe(401);
  expect(await call("find")).toBe("unavailable");
});

test("a reload that changes what a token may offer makes its workers register again", async () => {
  const { write, reload, register, poll, service } = await startWith(fileOf({ one: ", tools: [charge, refund]" }));
  const before = await register("one", "billing", "charge", "refund");
  write({ "toolhost.yaml": fileOf({ one: ", tools: [charge]" }) });
  await reload();
  expect(await poll("one", before.body.workerId)).toBe(404);
  const after = await register("one", "billing", "charge", "refund");
  expect(after.body.tools).toMatchObject([
    { name: "charge", state: "added" },
    { name: "refund", state: "refused" },
  ]);
  expect(service.registry.find("refund")).toBeUndefined();
});

test("a reload is refused if a token loses its tools, or is an API key", async () => {
  const { write, reload } = await startWith(fileOf({ one: ", tools: [charge]" }));
  write({ "toolhost.yaml": fileOf({ one: "" }) });
  await expect(reload()).rejects.toThrow('The worker token "one" no longer has "tools"');
  write({ "toolhost.yaml": fileOf({ one: ', tools: ["*"]' }) });
  await reload();
  write({ "toolhost.yaml": fileOf({ one: "" }, `auth: { keys: [{ name: a, sha256: ${sha256("one")} }] }\n`) });
  await expect(reload()).rejects.toThrow('the worker token "one" is an API key too');
});

test("a source of the file takes its name and its tools from workers", async () => {
  const { write, reload, register, poll, call, service } = await startWith(fileOf({ one: "" }));
  const { body } = await register("one", "more", "late");
  expect((await register("one", "tools", "x")).status).toBe(400);
  write({
    "toolhost.yaml": fileOf({ one: "" }, "  - folder: ./more\n"),
    "more/late/tool.mjs": toolFile("late", "of the folder"),
  });
  await reload();
  expect(await call("late")).toBe("of the folder");
  expect(await poll("one", body.workerId)).toBe(404);
  expect(service.status().map(({ name, kind }) => `${name} ${kind}`)).toEqual(["tools folder", "more folder"]);
});

test("overrides change the tools of workers, over a reload too", async () => {
  const { write, reload, register, call, get } = await startWith(fileOf({ one: "" }));
  await register("one", "billing", "charge");
  write({ "toolhost.yaml": fileOf({ one: "" }, "overrides: { charge: { description: Pays., timeoutMs: 77 } }\n") });
  await reload();
  const listed = (await (await get("/tools/charge")).json()) as object;
  expect(listed).toMatchObject({ description: "Pays.", timeoutMs: 77, source: "billing" });
  write({ "toolhost.yaml": fileOf({ one: "" }, "overrides: { charge: { enabled: false } }\n") });
  await reload();
  expect(await call("charge")).toBe("unavailable");
});
