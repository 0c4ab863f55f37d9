import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const declaration = { name: "double", description: "Doubles.", parameters: { type: "object" }, timeoutMs: 1000 };

async function startServer(answer: Answer): Promise<string> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Lists these tools, and answers calls so. */
function toolhost(tools: unknown, call: Answer = (_request, response) => void response.end("{}")): Answer {
  return (request, response) =>
    request.method === "GET" ? void response.end(JSON.stringify({ tools })) : call(request, response);
}

async function resultOf(answer: Answer): Promise<unknown> {
  const model = scriptedModel([calls(["a", "double", {}]), says("Oh.")]);
  await createAgent({ model, tools: await startServer(answer) }).chat("Go");
  return JSON.parse((model.requests[1]!.messages[2] as { content: string }).content);
}

describe("what answers for a Toolhost", () => {
  it("is asked below its path, with no more than the path", async () => {
    const asked: string[] = [];
    const url = await startServer((request, response) => {
      asked.push(request.url ?? "");
      toolhost([])(request, response);
    });
    await createAgent({ model: scriptedModel([says("Hi.")]), tools: `${url}/base/?x=1#y` }).chat("Hi");
    expect(asked).toEqual(["/base/tools"]);
  });

  it("is asked again only for what has changed", async () => {
    const etags: unknown[] = [];
    const url = await startServer((request, response) => {
      etags.push(request.headers["if-none-match"]);
      if (etags.length > 1) return void response.writeHead(304).end();
      response.setHeader("etag", '"1"').end(JSON.stringify({ tools: [declaration] }));
    });
    const model = scriptedModel([says("1"), says("2")]);
    const agent = createAgent({ model, tools: url });
    await agent.chat("One");
    await agent.chat("Two");
    expect(etags).toEqual([undefined, '"1"']);
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 1]);
  });

  it.each([
    ["a page", "<html>", /is not a Toolhost/],
    ["JSON of another kind", '{"tools":{}}', /is not a Toolhost/],
    ["nothing", "", /is not a Toolhost/],
  ])("is refused where it sends %s", async (_what, body, message) => {
    const url = await startServer((_request, response) => void response.end(body));
    await expect(createAgent({ model: scriptedModel([]), tools: url }).chat("Hi")).rejects.toThrow(message);
  });

  it.each([
    [
      "a path with /tools, which the base URL has not",
      "/tools/",
      404,
      '{"error":{"message":"Gone."}}',
      /answered 404: Gone\. .*without \/tools/,
    ],
    ["nothing", "", 501, "", /answered 501: the body is empty or is not JSON/],
    ["a page", "", 502, "<html>", /answered 502: the body is empty or is not JSON/],
    ["JSON of another kind", "", 500, "{}", /answered 500: the body is not an error of Toolhost/],
  ])("is refused with advice where it answers with %s", async (_what, path, status, body, message) => {
    const url = await startServer((_request, response) => void response.writeHead(status).end(body));
    await expect(createAgent({ model: scriptedModel([]), tools: url + path }).chat("Hi")).rejects.toThrow(message);
  });

  it("is refused where its list has no end", async () => {
    const piece = Buffer.alloc(1_048_576, " ");
    let left = false;
    const url = await startServer((_request, response) => {
      response.on("close", () => (left = true));
      const write = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", write);
      write();
    });
    await expect(createAgent({ model: scriptedModel([]), tools: url }).chat("Hi")).rejects.toThrow("is not a Toolhost");
    await expect.poll(() => left).toBe(true);
  });

  it("may list what is no tool, and patterns that would stop us: they are left out, and the warnings say so", async () => {
    const slow = { type: "object", properties: { a: { type: "string", pattern: "^(?=a)(a+)+$" } } };
    const odd = { ...declaration, name: "odd", parameters: slow };
    const url = await startServer(toolhost([null, 7, odd, declaration]));
    const model = scriptedModel([says("Hi.")]);
    const { warnings } = await createAgent({ model, tools: url }).chat("Hi");
    expect(model.requests[0]!.tools).toMatchObject([{ function: { name: "double" } }]);
    expect(warnings).toEqual([expect.stringMatching(/^"odd": This tool is left out, because /)]);
  });

  it("may answer a call with what is no outcome: the model is told that it failed there", async () => {
    for (const body of ["<html>", "{}", '{"status":"error","error":{"code":"made_up","message":"x"}}']) {
      const answer = toolhost([declaration], (_request, response) => void response.writeHead(502).end(body));
      expect(await resultOf(answer)).toMatchObject({ error: { code: "upstream_failed", upstream: { status: 502 } } });
    }
  });

  it("passes on of an error what an error holds, and no more", async () => {
    const error = { code: "busy", message: "Later.", retryAfterMs: 5, stack: "at secret.js", action: "retry_later" };
    const answer = toolhost([declaration], (_request, response) => {
      response.end(JSON.stringify({ status: "error", error }));
    });
    const { stack: _stack, ...told } = error;
    expect(await resultOf(answer)).toEqual({ error: { ...told, retryable: true, ran: "no" } });
  });
});
