import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/access/keys.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createWorkers } from "../../src/workers/workers.ts";
import { declarationOf, register, type ScriptedWorker } from "./scripted-worker.ts";
import { startWorkerService, token, tokensOf, type WorkerService } from "./worker-service.ts";

/** Calls a tool, and answers the call as the worker that gets it. */
async function runOn(service: WorkerService, worker: ScriptedWorker, name: string): Promise<unknown> {
  const outcome = service.call(name);
  const call = await worker.next();
  await worker.answer(call.callId, { result: call.tool });
  return (await outcome).result;
}

const v1 = declarationOf("charge");
const v2 = declarationOf("charge", { description: "Charges in another way." });

describe("a tool of several workers", () => {
  test("is shared by workers with the same declaration and settings, whatever their names", async () => {
    const service = await startWorkerService();
    await register(service, [v1]);
    const same = await register(service, [{ ...v1 }]);
    const other = await register(service, [v1], { name: "crm" });
    expect(same.registered.tools).toEqual([{ name: "charge", state: "shared" }]);
    expect(other.registered.tools).toEqual([{ name: "charge", state: "shared" }]);
    expect(service.registry.find("charge")?.source).toBe("billing");
  });

  test.each<[string, object]>([
    ["description", { description: "x" }],
    ["parameters", { parameters: { type: "object", properties: { a: {} } } }],
    ["response", { response: { type: "string" } }],
    ["timeoutMs", { timeoutMs: 5 }],
    ["concurrency", { concurrency: 5 }],
    ["resultBytes", { resultBytes: 500 }],
    ["annotations", { annotations: { readOnly: true } }],
    ["contentBlocks", { contentBlocks: true }],
    ["strict", { strict: true }],
    ["tags", { tags: ["a"] }],
  ])("is refused to another name with another %s, while the first lives", async (_field, change) => {
    const service = await startWorkerService();
    const first = await register(service, [v1]);
    const { registered } = await register(service, [{ ...v1, ...change }], { name: "crm" });
    expect(registered.tools).toMatchObject([
      { name: "charge", state: "refused", reason: expect.stringContaining('the worker "billing"') as string },
    ]);
    expect(await runOn(service, first, "charge")).toBe("charge");
    await first.leave();
    const again = await register(service, [{ ...v1, ...change }], { name: "crm" });
    expect(again.registered.tools).toEqual([{ name: "charge", state: "added" }]);
    expect(service.registry.find("charge")?.source).toBe("crm");
  });

  test("keeps its source while a worker of that name lives, and then has the name of the one that is left", async () => {
    const service = await startWorkerService();
    const first = await register(service, [v1]);
    const other = await register(service, [v1], { name: "crm" });
    await first.leave();
    expect(service.registry.find("charge")?.source).toBe("crm");
    expect(await runOn(service, other, "charge")).toBe("charge");
    expect(service.workers.status().map(({ name, state }) => [name, state])).toEqual([["crm", "ready"]]);
  });
});

describe("another declaration of the same worker name", () => {
  test("takes over new calls, while the running ones of the older are answered", async () => {
    const service = await startWorkerService();
    const old = await register(service, [v1]);
    const running = service.call("charge");
    const call = await old.next();
    const young = await register(service, [v2]);
    expect(young.registered.tools).toEqual([{ name: "charge", state: "added" }]);
    expect(service.registry.find("charge")?.tool.description).toBe("Charges in another way.");
    const polled = old.poll({ waitMs: 300 });
    expect(await runOn(service, young, "charge")).toBe("charge");
    expect((await polled).body.calls).toEqual([]);
    await old.answer(call.callId, { result: "old" });
    expect(await running).toMatchObject({ result: "old" });
  });

  test("leaves the calls that wait for the older one to it", async () => {
    const service = await startWorkerService();
    const old = await register(service, [v1]);
    const waiting = service.call("charge");
    await expect.poll(() => service.registry.load.calls).toBe(1);
    const young = await register(service, [v2]);
    expect((await young.poll({ waitMs: 50 })).body.calls).toEqual([]);
    const call = await old.next();
    await old.answer(call.callId, { result: "old" });
    expect(await waiting).toMatchObject({ result: "old" });
  });

  test("ends the calls that wait for the older one when the last worker of it leaves", async () => {
    const service = await startWorkerService();
    const old = await register(service, [v1]);
    const waiting = service.call("charge");
    await expect.poll(() => service.registry.load.calls).toBe(1);
    await register(service, [v2]);
    await old.leave();
    expect(await waiting).toMatchObject({ error: { code: "unavailable", ran: "no", retryAfterMs: 1000 } });
  });

  test("gives way to the older one when its workers are gone, and takes over again", async () => {
    const service = await startWorkerService();
    const old = await register(service, [v1]);
    const young = await register(service, [v2]);
    await young.leave();
    expect(service.registry.find("charge")?.tool.description).toBe("The tool charge.");
    expect(await runOn(service, old, "charge")).toBe("charge");
    const again = await register(service, [v2]);
    expect(await runOn(service, again, "charge")).toBe("charge");
  });
});

describe("a tool whose workers are gone", () => {
  test("stays in the list, and its calls get `unavailable`", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [v1]);
    await worker.leave();
    expect(await service.call("charge")).toMatchObject({
      error: { code: "unavailable", action: "retry_later", retryable: true, ran: "no" },
    });
    expect(service.registry.list().map(({ tool }) => tool.name)).toEqual(["charge"]);
    expect(service.workers.status()).toMatchObject([{ name: "billing", state: "connecting", workers: [] }]);
    const back = await register(service, [v1]);
    expect(back.registered.tools).toEqual([{ name: "charge", state: "added" }]);
    expect(await runOn(service, back, "charge")).toBe("charge");
  });

  test("is removed when a worker of its name registers without it", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [v1, declarationOf("refund")]);
    await worker.leave();
    await register(service, [v1]);
    expect(service.registry.find("refund")).toBeUndefined();
  });

  test("does not change the entry of the registry when it comes back", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [v1]);
    const [entry, { version }] = [service.registry.find("charge"), service.registry];
    await worker.leave();
    await register(service, [v1]);
    expect([service.registry.find("charge"), service.registry.version]).toEqual([entry, version]);
  });
});

describe("the annotations of a worker", () => {
  const readOnly = declarationOf("look", { annotations: { readOnly: true, idempotent: true } });

  test("are listed, and open nothing to a readOnly key", async () => {
    const auth = { keys: [{ name: "reader", sha256: tokensOf({ key: {} })[0]!.sha256, readOnly: true }] };
    const service = await startWorkerService({ app: { auth } });
    await register(service, [readOnly]);
    const asReader = { authorization: "Bearer key" };
    expect(await service.call("look", {}, asReader)).toMatchObject({ error: { code: "unknown_tool" } });
    const listed = await fetch(`${service.url}/tools`, { headers: asReader });
    expect(await listed.json()).toEqual({ tools: [] });
    expect(service.registry.find("look")).toMatchObject({
      annotations: {},
      repeatable: false,
      tool: { annotations: { readOnly: true } },
    });
  });

  test("count if the configuration trusts them, and by an override", async () => {
    const trusted = await startWorkerService({ tokens: { [token]: { trustAnnotations: true } } });
    await register(trusted, [readOnly]);
    expect(trusted.registry.find("look")).toMatchObject({ repeatable: true, annotations: { readOnly: true } });
    const overridden = await startWorkerService({
      settings: { overrides: { look: { annotations: { idempotent: true }, retries: 2 } } },
    });
    await register(overridden, [readOnly]);
    expect(overridden.registry.find("look")).toMatchObject({ repeatable: true, annotations: { idempotent: true } });
  });

  test("are not trusted because another token with the same tool is", async () => {
    const service = await startWorkerService({ tokens: { one: { trustAnnotations: true }, two: {} } });
    await register(service, [readOnly], { token: "one" });
    const { registered } = await register(service, [readOnly], { name: "crm", token: "two" });
    expect(registered.tools).toMatchObject([{ state: "refused" }]);
  });
});

test("an operator's source keeps a name, whichever comes first", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [v1]);
  const own = { name: "charge", description: "Mine.", parameters: { type: "object" }, execute: () => "mine" };
  service.registry.replaceAll([{ source: "folder", tools: [own], rank: 1 }]);
  expect(await service.call("charge")).toMatchObject({ result: "mine" });
  expect(service.workers.status()).toMatchObject([
    { tools: 0, skipped: [{ name: "charge", reason: expect.stringContaining('the source "folder"') as string }] },
  ]);
  const again = await register(service, [v1]);
  expect(again.registered.tools).toMatchObject([{ state: "refused" }]);
  service.registry.replaceAll([{ source: "folder", tools: [] }]);
  expect(await runOn(service, worker, "charge")).toBe("charge");
});

test("workers that go together are reported once, because a report looks at the tools of all", async () => {
  const registry = createRegistry({ env: {} });
  const reported: string[][] = [];
  const workers = createWorkers({
    registry,
    isSourceName: () => false,
    onChange: (names) => void reported.push([...names]),
  });
  workers.configure(tokensOf({ one: {}, two: {} }));
  for (const name of ["billing", "crm", "shop"]) {
    await workers.register(sha256("one"), { name, tools: [declarationOf(`${name}_find`)] });
  }
  await workers.register(sha256("two"), { name: "stays", tools: [declarationOf("stay")] });
  reported.length = 0;
  workers.configure(tokensOf({ two: {} }));
  expect(reported).toEqual([["billing", "crm", "shop"]]);
  expect(workers.status().map(({ name, state, tools }) => [name, state, tools])).toEqual([
    ["billing", "connecting", 1],
    ["crm", "connecting", 1],
    ["shop", "connecting", 1],
    ["stays", "ready", 1],
  ]);
});
