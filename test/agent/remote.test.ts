import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import type { Registry } from "../../src/core/registry/registry.ts";
import { createRegistry } from "../../src/create-registry.ts";
import { createApp } from "../../src/http/app.ts";
import { createServer } from "../../src/http/node/server.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";

const key = "a-key-that-is-long-enough-for-anyone";

const double: Tool = {
  name: "double",
  description: "Doubles a number.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => Number(n) * 2,
};

let stop: (() => void) | undefined;
afterEach(() => stop?.());

async function startToolhost(registry: Registry): Promise<string> {
  const sha256 = createHash("sha256").update(key).digest("hex");
  const server = createServer({ app: createApp({ registry, auth: { keys: [{ name: "agent", sha256 }] } }) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stop = () => void server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the tools of a running Toolhost", () => {
  it("are listed with the key and run there", async () => {
    const url = await startToolhost(createRegistry({ tools: [double] }));
    const model = scriptedModel([calls(["a", "double", { n: 2 }], ["b", "double", { n: 3 }]), says("4 and 6.")]);
    const result = await createAgent({ model, tools: { url, key } }).chat("Go");
    expect(result.text).toBe("4 and 6.");
    expect(model.requests[0]!.tools).toMatchObject([{ function: { name: "double" } }]);
    expect(model.requests[1]!.messages.slice(2)).toMatchObject([{ content: "4" }, { content: "6" }]);
  });

  it("return content blocks, which reach the model as what they are", async () => {
    const image = { type: "image", data: "aGFsbG8=", mimeType: "image/png" };
    const block = (content: unknown[], fields: Partial<Tool> = {}): Tool => ({
      ...double,
      ...fields,
      execute: () => ({ content }),
    });
    const url = await startToolhost(
      createRegistry({
        tools: [
          block([{ type: "text", text: "a chart" }, image], { name: "chart", contentBlocks: true }),
          block([], { name: "nothing" }),
          block([{ type: "canary" }], { name: "data" }),
        ],
      }),
    );
    const model = scriptedModel([
      calls(["a", "chart", { n: 1 }], ["b", "nothing", { n: 1 }], ["c", "data", { n: 1 }]),
      says("Oh."),
    ]);
    const { warnings } = await createAgent({ model, tools: { url, key } }).chat("Go");
    expect(model.requests[1]!.messages.slice(2)).toMatchObject([
      { content: "a chart\n[image/png, 5 B]" },
      { content: '{"content":[]}' },
      { content: '{"content":[{"type":"canary"}]}' },
    ]);
    expect(warnings).toHaveLength(1);
  });

  it("are listed anew for each chat", async () => {
    const registry = createRegistry({ tools: [double] });
    const url = await startToolhost(registry);
    const model = scriptedModel([says("1"), says("2"), says("3")]);
    const agent = createAgent({ model, tools: { url: `${url}/`, key } });
    await agent.chat("One");
    await agent.chat("Two");
    registry.add({ ...double, name: "triple" });
    await agent.chat("Three");
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 2]);
  });

  it("fail with the errors that they have there", async () => {
    const failing: Tool = {
      ...double,
      execute() {
        throw Object.assign(new Error("No such number."), { name: "ToolError", details: { n: 1 }, retryable: true });
      },
    };
    const slow: Tool = { ...double, name: "slow", timeoutMs: 20, execute: () => new Promise(() => {}) };
    const url = await startToolhost(createRegistry({ tools: [failing, slow] }));
    const model = scriptedModel([
      calls(["a", "double", { n: 2 }], ["b", "double", {}], ["c", "slow", { n: 1 }], ["d", "gone", {}]),
      says("Oh."),
    ]);
    await createAgent({ model, tools: { url, key } }).chat("Go");
    const errors = model.requests[1]!.messages.slice(2).map(
      (message) => (JSON.parse((message as { content: string }).content) as { error: object }).error,
    );
    expect(errors).toMatchObject([
      { code: "tool_failed", message: "No such number.", details: { n: 1 }, retryable: true, action: "retry" },
      { code: "invalid_arguments", issues: [{ path: "/n" }] },
      { code: "timeout", ran: "unknown" },
      { code: "unknown_tool" },
    ]);
  });

  it("are told of where the key is wrong, or nobody is there", async () => {
    const url = await startToolhost(createRegistry({ tools: [double] }));
    const agent = createAgent({ model: scriptedModel([]), tools: { url, key: "another-key-that-is-long-enough" } });
    await expect(agent.chat("Go")).rejects.toThrow(/answered 401/);
    const nobody = createAgent({ model: scriptedModel([]), tools: "http://127.0.0.1:9" });
    await expect(nobody.chat("Go")).rejects.toThrow("cannot be reached");
    expect(nobody.messages).toEqual([]);
  });

  it("are errors to the model where the service goes away in the middle", async () => {
    const url = await startToolhost(createRegistry({ tools: [double] }));
    const goes = (): object => {
      stop?.();
      return calls(["a", "double", { n: 2 }]);
    };
    const model = scriptedModel([goes, says("It is down.")]);
    expect((await createAgent({ model, tools: { url, key } }).chat("Go")).text).toBe("It is down.");
    const { content } = model.requests[1]!.messages[2] as { content: string };
    expect(JSON.parse(content)).toMatchObject({ error: { code: "upstream_failed" } });
  });

  it("are stopped there when the chat ends", async () => {
    let aborted: (() => void) | undefined;
    const isAborted = new Promise<void>((resolve) => (aborted = resolve));
    const leave = new AbortController();
    const endless: Tool = {
      ...double,
      execute(_args, { signal }) {
        signal.addEventListener("abort", () => aborted?.());
        leave.abort(new Error("enough"));
        return new Promise(() => {});
      },
    };
    const url = await startToolhost(createRegistry({ tools: [endless] }));
    const model = scriptedModel([calls(["a", "double", { n: 2 }])]);
    const chat = createAgent({ model, tools: { url, key } }).chat("Go", { signal: leave.signal });
    await expect(chat).rejects.toThrow("enough");
    await isAborted;
  });
});
