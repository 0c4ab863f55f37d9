import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { type RunningService, startService } from "../http/running-service.ts";
import { commandOf } from "../sources/mcp/scripted.ts";

// One registry with a folder, two OpenAPI documents and two MCP servers, whose names meet.

const within = { timeout: 20_000, interval: 20 };

/** An API whose answers take a tenth of a second, so that every reload meets running calls. */
async function startApi(): Promise<string> {
  const server = createServer((request, response) => {
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ path: request.url }));
    }, 100);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function documentOf(operationIds: readonly string[]): string {
  const answer = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } };
  const paths = operationIds.map((id) => [`/${id}`, { get: { operationId: id, summary: id, responses: answer } }]);
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "An API", version: "1" },
    paths: Object.fromEntries(paths) as object,
  });
}

function writeTool(folder: string, name: string, result: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, name, "tool.mjs"),
    `export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return "${result}";
    } };`,
  );
}

async function start() {
  const folder = temporaryFolder();
  const baseUrl = await startApi();
  const tools = join(folder, "tools");
  writeTool(tools, "shop_pets", "of the folder");
  writeTool(tools, "mine", "first");
  writeFileSync(join(folder, "shop.json"), documentOf(["pets", "list_x", "carts"]));
  writeFileSync(join(folder, "list.json"), documentOf(["x", "own"]));
  const sources = [
    { folder: "./tools" },
    { openapi: "./shop.json", name: "shop", baseUrl },
    { openapi: "./list.json", name: "shop_list", baseUrl },
    { mcp: commandOf({ tools: ["read_x", "read/it", "read.it", "environment"] }), name: "notes" },
    { mcp: commandOf({ tools: ["x", "x_slowly", "environment"] }), name: "notes_read" },
  ];
  const file = join(folder, "toolhost.yaml");
  const writeConfig = (more: object = {}): void => writeFileSync(file, JSON.stringify({ tools: sources, ...more }));
  writeConfig();
  const service = await startService({ TOOLHOST_CONFIG: file, TOOLHOST_TOOLS: "", LOG_LEVEL: "info" });
  await vi.waitFor(async () => {
    expect((await statusOf(service)).map(({ state }) => state)).toEqual(sources.map(() => "ready"));
  }, within);
  return { service, folder, tools, writeConfig };
}

interface Status {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly tools: number;
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

async function statusOf(service: RunningService): Promise<readonly Status[]> {
  const { sources } = (await (await service.request("/status")).json()) as { readonly sources: readonly Status[] };
  return sources;
}

async function sourceOfEach(service: RunningService): Promise<Record<string, string>> {
  const { tools } = (await (await service.request("/tools")).json()) as {
    readonly tools: readonly { readonly name: string; readonly source: string }[];
  };
  return Object.fromEntries(tools.map(({ name, source }) => [name, source]));
}

async function resultOf(service: RunningService, tool: string, args = {}): Promise<unknown> {
  const outcome = (await (await service.call(tool, args)).json()) as { readonly result?: unknown };
  return outcome.result ?? outcome;
}

/** A tool of each source, with arguments for which a call takes a tenth of a second. */
const busy: Readonly<Record<string, object>> = {
  mine: {},
  shop_carts: {},
  shop_list_own: {},
  notes_read_x: { ms: 100 },
  notes_read_x_slowly: { ms: 100 },
};

/** Calls each of them without a pause. @returns a function that ends it, and returns the different outcomes of each tool */
function keepCalling(service: RunningService): () => Promise<Record<string, string[]>> {
  let isOver = false;
  const calling = Object.entries(busy).map(async ([tool, args]): Promise<[string, string[]]> => {
    const outcomes = new Set<string>();
    while (!isOver) {
      const response = await service.call(tool, args);
      outcomes.add(`${response.status} ${response.headers.get("toolhost-outcome")}`);
    }
    return [tool, [...outcomes]];
  });
  return async () => {
    isOver = true;
    return Object.fromEntries(await Promise.all(calling));
  };
}

describe("a folder, two OpenAPI documents and two MCP servers in one registry", () => {
  test("get each name once: the source that the file names first has it, and /status names the others", async () => {
    const { service } = await start();
    const sources = await sourceOfEach(service);
    const endings = Object.keys(sources).filter((name) => /^notes_read_it_[0-9a-f]{8}$/.test(name));
    expect(endings).toHaveLength(2);
    for (const name of endings) delete sources[name];
    const status = await statusOf(service);
    const [folder, shop, list, notes, others] = status.map(({ name }) => name);
    expect([shop, list, notes, others]).toEqual(["shop", "shop_list", "notes", "notes_read"]);
    expect(sources).toEqual({
      mine: folder,
      shop_pets: folder,
      shop_list_x: shop,
      shop_carts: shop,
      shop_list_own: list,
      notes_read_x: notes,
      notes_environment: notes,
      notes_read_x_slowly: others,
      notes_read_environment: others,
    });
    expect(status.map(({ kind, tools, skipped }) => [kind, tools, skipped.map(({ name }) => name)])).toEqual([
      ["folder", 2, []],
      ["openapi", 2, ["shop_pets"]],
      ["openapi", 1, ["shop_list_x"]],
      ["mcp", 4, []],
      ["mcp", 2, ["notes_read_x"]],
    ]);
    for (const [at, holder] of [
      [1, folder],
      [2, shop],
      [4, notes],
    ] as const) {
      expect(status[at]!.skipped[0]!.reason).toContain(holder);
    }
    expect(await resultOf(service, "shop_pets")).toBe("of the folder");
    expect(await resultOf(service, "shop_list_x")).toEqual({ path: "/list_x" });
    expect(await resultOf(service, "notes_read_x")).toMatchObject({ result: "read_x" });
  });

  test("follow their files and SIGHUP, while every call of each is answered by its tool", async () => {
    const { service, folder, tools, writeConfig } = await start();
    const pidsOf = async (): Promise<unknown> =>
      Promise.all(["notes_environment", "notes_read_environment"].map((name) => resultOf(service, name)));
    const pids = await pidsOf();
    const stop = keepCalling(service);

    writeTool(tools, "mine", "second");
    await vi.waitFor(async () => expect(await resultOf(service, "mine")).toBe("second"), within);

    writeFileSync(join(folder, "shop.json"), documentOf(["pets", "list_x", "carts", "new"]));
    await vi.waitFor(async () => expect(await resultOf(service, "shop_new")).toEqual({ path: "/new" }), within);

    // The next in rank gets a name that becomes free.
    rmSync(join(tools, "shop_pets"), { recursive: true });
    await vi.waitFor(async () => expect(await resultOf(service, "shop_pets")).toEqual({ path: "/pets" }), within);

    writeConfig({ overrides: { notes_read_x: { title: "Reads X" } } });
    await vi.waitFor(async () => {
      expect(await (await service.request("/tools/notes_read_x")).json()).toMatchObject({ title: "Reads X" });
    }, within);

    const reloads = (): number =>
      service.entries.filter(({ msg }) => msg === "configuration and tools were reloaded").length;
    const before = reloads();
    service.signal("SIGHUP");
    await vi.waitFor(() => expect(reloads()).toBeGreaterThan(before), within);

    expect(await stop()).toEqual(Object.fromEntries(Object.keys(busy).map((tool) => [tool, ["200 ok"]])));
    // The servers whose settings did not change were not started again.
    expect(await pidsOf()).toEqual(pids);
    expect((await statusOf(service)).map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "ready"));
  });
});
