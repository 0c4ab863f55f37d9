import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { outboundFetch } from "../src/egress.ts";
import { createRegistry, invoke, type JsonObject, type Tool } from "../src/index.ts";

/** Answers what it was sent. */
async function startEcho(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () =>
      outgoing.end(JSON.stringify({ type: incoming.headers["content-type"], body: Buffer.concat(chunks).toString() })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function unusedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

function goOut(execute: Tool["execute"], annotations: Tool["annotations"] = {}) {
  const tool: Tool = { name: "go", description: "Goes out.", parameters: { type: "object" }, annotations, execute };
  return invoke(createRegistry({ tools: [tool] }), { name: "go", arguments: {} });
}

it("context.fetch takes what the web's fetch takes", async () => {
  const url = await startEcho();
  const form = new FormData();
  form.set("a", "b");
  for (const [body, expected] of [
    [form, 'name="a"'],
    [new URLSearchParams({ a: "b" }), "a=b"],
    [new Blob(["a blob"]), "a blob"],
  ] as const) {
    const outcome = await goOut(async (_args, { fetch }) => (await fetch(url, { method: "POST", body })).json());
    expect(outcome).toMatchObject({ status: "ok" });
    expect((outcome as { result: JsonObject }).result["body"]).toContain(expected);
  }
  const request = new Request(url, { method: "POST", body: "a request" });
  const outcome = await goOut(async (_args, { fetch }) => {
    const response = await fetch(request);
    return { isResponse: response instanceof Response, ...((await response.json()) as JsonObject) };
  });
  expect(outcome).toMatchObject({ result: { isResponse: true, body: "a request" } });
});

it("context.fetch tells an API that cannot be reached from a URL that is none", async () => {
  const closed = await unusedUrl();
  const unreachable = await goOut((_args, { fetch }) => fetch(closed), { readOnly: true });
  expect(unreachable).toMatchObject({ error: { code: "upstream_failed", ran: "no", retryable: true } });
  const malformed = await goOut((_args, { fetch }) => fetch("http://["), { readOnly: true });
  expect(malformed).toMatchObject({ error: { code: "tool_failed" } });
  await expect(outboundFetch(closed, { signal: AbortSignal.abort(new Error("mine")) })).rejects.toThrow("mine");
});

it("a response that a tool returns instead of its body is let go of", async () => {
  const url = await startEcho();
  let response: Response | undefined;
  const outcome = await goOut(async (_args, { fetch }) => (response = await fetch(url)));
  expect(outcome).toMatchObject({ error: { code: "invalid_result" } });
  expect(response?.bodyUsed).toBe(true);
});
