import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createOutboundFetch } from "../../src/egress/fetch.ts";
import { createRegistry, invoke, type Tool } from "../../src/index.ts";
import { failureOf, fetchFor, type LocalServer, startRaw, startServer } from "./servers.ts";

interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Answers what it was sent. */
function startEcho(): Promise<LocalServer> {
  return startServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method, url: path, headers } = incoming;
      outgoing.end(JSON.stringify({ method, path, headers, body: Buffer.concat(chunks).toString("latin1") }));
    });
  });
}

async function unusedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

function goOut(fetch: typeof globalThis.fetch, execute: Tool["execute"], annotations: Tool["annotations"] = {}) {
  const tool: Tool = { name: "go", description: "Goes out.", parameters: { type: "object" }, annotations, execute };
  return invoke(createRegistry({ fetch, tools: [tool] }), { name: "go", arguments: {} });
}

const requests: readonly (readonly [string, (url: string) => Parameters<typeof fetch>])[] = [
  ["a URL", (url) => [new URL(url)]],
  ["a query and a fragment", (url) => [`${url}/a b/ü?q=1&q=ü#fragment`]],
  ["HEAD", (url) => [url, { method: "HEAD" }]],
  ["another method", (url) => [url, { method: "PROPFIND" }]],
  ["text", (url) => [url, { method: "POST", body: "täxt" }]],
  ["an empty body", (url) => [url, { method: "POST" }]],
  ["an empty text", (url) => [url, { method: "PUT", body: "" }]],
  ["a form", (url) => [url, { method: "POST", body: new URLSearchParams({ a: "b c", d: "ü" }) }]],
  ["a blob", (url) => [url, { method: "POST", body: new Blob(["a blob"], { type: "text/x" }) }]],
  ["bytes", (url) => [url, { method: "PUT", body: new Uint8Array([0, 255, 1]).subarray(1) }]],
  ["a buffer", (url) => [url, { method: "PUT", body: new Uint8Array([0, 255, 1]).buffer }]],
  [
    "a stream",
    (url) => [url, { method: "POST", body: new Blob(["streamed"]).stream(), duplex: "half" } as RequestInit],
  ],
  [
    "a Node stream",
    (url) => [
      url,
      {
        method: "POST",
        body: Readable.from([Buffer.from("a"), Buffer.from("b")]) as never,
        duplex: "half",
      } as RequestInit,
    ],
  ],
  [
    "headers",
    (url) => [
      url,
      {
        headers: [
          ["x-a", "1"],
          ["X-A", "2"],
          ["authorization", "Bearer a"],
          ["cookie", "a=b"],
        ],
      },
    ],
  ],
  ["a range", (url) => [url, { headers: { range: "bytes=0-1" } }]],
  ["a Request", (url) => [new Request(url, { method: "PATCH", body: "a request", headers: { "x-a": "1" } })]],
  [
    "a Request that is changed",
    (url) => [new Request(url, { method: "POST", body: "a" }), { body: "b", headers: { "x-b": "1" } }],
  ],
  ["a Request with a large body", (url) => [new Request(url, { method: "POST", body: "x".repeat(3_000_000) })]],
];

it.each(requests)("%s arrives as the global fetch would send it", async (_what, request) => {
  const server = await startEcho();
  const own = ["accept-encoding", "accept-language", "connection", "sec-fetch-mode", "user-agent"];
  const seen = async (response: Response) => {
    const echo = JSON.parse((await response.text()) || "{}") as Partial<Echo>;
    const headers = Object.entries(echo.headers ?? {}).filter(([name]) => !own.includes(name));
    // Large ones are sent in pieces, for a Request does not tell its length.
    const framed = headers.filter(
      ([name]) => (echo.body?.length ?? 0) < 1e6 || !/content-length|transfer-enc/.test(name),
    );
    return { ...echo, headers: Object.fromEntries(framed) };
  };
  const theirs = await seen(await fetch(...request(server.url)));
  const ours = await seen(await fetchFor([server])(...request(server.url)));
  expect(ours).toEqual(theirs);
});

it("a multipart form arrives whole, files included", async () => {
  const server = await startEcho();
  const form = new FormData();
  form.set("field", "ü");
  form.set("file", new File(["inside"], "a.txt", { type: "text/plain" }));
  const send = async (fetch: typeof globalThis.fetch) => {
    const { headers, body } = (await (await fetch(server.url, { method: "POST", body: form })).json()) as Echo;
    const boundary = headers["content-type"]!.split("boundary=")[1]!;
    return [headers["content-type"], headers["content-length"] === String(body.length), body].map((part) =>
      String(part).replaceAll(boundary, "…"),
    );
  };
  expect((await send(fetchFor([server])))[2]).toContain('filename="a.txt"');
  // Boundaries differ in length from run to run.
  expect(await send(fetchFor([server]))).toEqual(await send(globalThis.fetch));
});

it("what concerns the connection is not the tool's to say", async () => {
  const server = await startEcho();
  const headers = {
    host: "other.example",
    connection: "close",
    "transfer-encoding": "chunked",
    "content-length": "99",
    expect: "100-continue",
  };
  const echo = (await (await fetchFor([server])(server.url, { method: "POST", body: "ab", headers })).json()) as Echo;
  expect(echo).toMatchObject({ body: "ab", headers: { host: new URL(server.url).host, "content-length": "2" } });
  expect(echo.headers["transfer-encoding"]).toBeUndefined();
});

it("the answer is a global Response that can be read in every way", async () => {
  const server = await startServer((incoming, outgoing) => {
    if (incoming.url === "/form") {
      outgoing.setHeader("content-type", "application/x-www-form-urlencoded");
      outgoing.end("a=b");
      return;
    }
    outgoing.writeHead(
      203,
      "Somewhat",
      [
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["x-latin", "caf\u00e9"],
        ["content-type", "application/json"],
      ].flat(),
    );
    outgoing.end('{"a":1}');
  });
  const fetch = fetchFor([server]);
  const response = await fetch(`${server.url}/a?b=c#d`);
  expect(response).toBeInstanceOf(Response);
  expect([response.status, response.statusText, response.ok]).toEqual([203, "Somewhat", true]);
  expect([response.url, response.redirected, response.bodyUsed]).toEqual([`${server.url}/a?b=c`, false, false]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("x-latin")).toBe("café");
  const copy = response.clone();
  expect([copy.url, await copy.json(), await response.text(), response.bodyUsed]).toEqual([
    response.url,
    { a: 1 },
    '{"a":1}',
    true,
  ]);
  expect(new Uint8Array(await (await fetch(server.url)).arrayBuffer())).toEqual(new TextEncoder().encode('{"a":1}'));
  expect((await (await fetch(server.url)).blob()).type).toBe("application/json");
  expect((await (await fetch(`${server.url}/form`)).formData()).get("a")).toBe("b");
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await fetch(server.url)).body!) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('{"a":1}');
  const reader = (await fetch(server.url)).body!.getReader({ mode: "byob" });
  const { value } = await reader.read(new Uint8Array(3));
  expect(Buffer.from(value!).toString()).toBe('{"a');
  await reader.cancel();
});

it.each([
  ["HEAD", 200, null],
  ["GET", 204, null],
  ["GET", 205, null],
  ["GET", 304, null],
  ["GET", 200, ""],
  ["GET", 404, ""],
])("%s answered with %i has the body %j, and leaves its connection in order", async (method, status, body) => {
  const server = await startServer((_incoming, outgoing) => outgoing.writeHead(status, { "x-a": "1" }).end());
  const fetch = fetchFor([server]);
  for (let count = 0; count < 6; count++) {
    const response = await fetch(server.url, { method });
    expect([response.status, response.headers.get("x-a")]).toEqual([status, "1"]);
    if (body === null) expect(response.body).toBeNull();
    expect(await response.text()).toBe("");
  }
  // undici opens a second one where the first is about to be free, and trusts none after HEAD.
  expect(server.connections).toBeLessThanOrEqual(method === "HEAD" ? 6 : 2);
});

it.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["GZIP, br", (text: string) => brotliCompressSync(gzipSync(text))],
  ["", Buffer.from],
  ["unheard-of", Buffer.from],
  ["unheard-of, gzip", Buffer.from],
])("an answer encoded with %j is decoded as far as it is known", async (coding, encode) => {
  const text = "some text ".repeat(20_000);
  const server = await startServer((_incoming, outgoing) => {
    outgoing.setHeader("content-encoding", coding);
    outgoing.end(encode(text));
  });
  const fetch = fetchFor([server]);
  for (let count = 0; count < 6; count++) expect(await (await fetch(server.url)).text()).toBe(text);
  expect(server.connections).toBeLessThanOrEqual(2);
});

it("an aborted signal ends it with the signal's own reason, before and within the answer", async () => {
  const server = await startServer((incoming, outgoing) => {
    if (incoming.url === "/half") outgoing.writeHead(200).write("half");
  });
  const fetch = fetchFor([server]);
  const reason = new Error("mine");
  await expect(fetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(server.connections).toBe(0);
  for (const start of [
    (signal: AbortSignal) => fetch(server.url, { signal }),
    (signal: AbortSignal) => fetch(new Request(server.url, { signal })),
    async (signal: AbortSignal) => (await fetch(`${server.url}/half`, { signal })).text(),
    (signal: AbortSignal) =>
      fetch(server.url, { signal, method: "POST", body: new ReadableStream(), duplex: "half" } as RequestInit),
    (signal: AbortSignal) =>
      fetch(new Request(server.url, { method: "POST", body: new ReadableStream(), duplex: "half" } as RequestInit), {
        signal,
      }),
  ]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 100);
    await expect(start(controller.signal)).rejects.toBe(reason);
  }
});

it("an abort reaches the server and the stream that is sent", async () => {
  let closed = 0;
  const server = await startServer((incoming) => void incoming.on("close", () => closed++).resume());
  let cancelled: unknown;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("a")),
    cancel: (why) => void (cancelled = why),
  });
  const controller = new AbortController();
  const sent = fetchFor([server])(server.url, {
    method: "POST",
    body,
    duplex: "half",
    signal: controller.signal,
  } as RequestInit);
  await expect.poll(() => server.connections).toBe(1);
  controller.abort(new Error("mine"));
  await expect(sent).rejects.toThrow("mine");
  await expect.poll(() => [closed, (cancelled as Error | undefined)?.message]).toEqual([1, "mine"]);
});

it("a body that cannot be sent is the tool's own fault", async () => {
  const server = await startEcho();
  const fault = new Error("mine");
  const streams = [
    new ReadableStream({ pull: (controller) => controller.error(fault) }),
    new ReadableStream({ pull: (controller) => controller.enqueue("text") }),
  ];
  const fetch = fetchFor([server]);
  await expect(fetch(server.url, { method: "POST", body: streams[0]!, duplex: "half" } as RequestInit)).rejects.toBe(
    fault,
  );
  await expect(fetch(server.url, { method: "POST", body: streams[1]!, duplex: "half" } as RequestInit)).rejects.toThrow(
    TypeError,
  );
  const bodyOfGet = { method: "GET", body: "a" };
  await expect(fetch(server.url, bodyOfGet)).rejects.toThrow(TypeError);
  await expect(fetch(server.url, { integrity: "sha256-abc" })).rejects.toThrow("integrity");
  await expect(fetch("http://user:word@example.com")).rejects.toThrow(TypeError);
});

it("a call tells an API that cannot be reached from a URL that is none", async () => {
  const closed = await unusedUrl();
  const fetch = createOutboundFetch({ allow: ["127.0.0.0/8"] });
  const unreachable = await goOut(fetch, (_args, context) => context.fetch(closed), { readOnly: true });
  expect(unreachable).toMatchObject({
    error: { code: "upstream_failed", ran: "no", retryable: true, message: expect.stringContaining("ECONNREFUSED") },
  });
  const malformed = await goOut(fetch, (_args, context) => context.fetch("http://["), { readOnly: true });
  expect(malformed).toMatchObject({ error: { code: "tool_failed" } });
});

it("a connection that does not come about in time is given up, and nothing was sent", async () => {
  const lookup = () => undefined; // Never answers.
  const fetch = createOutboundFetch({ connectTimeoutMs: 200, lookup });
  const failure = await failureOf(fetch("http://slow.example/"));
  expect(failure).toMatchObject({
    name: "UpstreamError",
    ran: "no",
    message: expect.stringContaining("UND_ERR_CONNECT_TIMEOUT"),
  });
});

it("a response that a tool returns instead of its body is let go of", async () => {
  const server = await startRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"));
  let response: Response | undefined;
  const outcome = await goOut(fetchFor([server]), async (_args, { fetch }) => (response = await fetch(server.url)));
  expect(outcome).toMatchObject({ error: { code: "invalid_result" } });
  expect(response?.bodyUsed).toBe(true);
});

it("an answer that nobody holds any more is let go of", async () => {
  let closed = 0;
  const server = await startServer((_incoming, outgoing) => {
    outgoing.on("close", () => closed++);
    outgoing.write(Buffer.alloc(1_000_000));
  });
  const fetch = fetchFor([server]);
  for (let count = 0; count < 5; count++) expect((await fetch(server.url)).status).toBe(200);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await expect.poll(() => (collect(), closed), { timeout: 5000 }).toBe(5);
});

it.each(["maxResponseBytes", "connectTimeoutMs", "idleTimeoutMs"])("%s must be a whole number", (name) => {
  for (const value of [-1, 1.5, NaN, Infinity, "1"]) {
    expect(() => createOutboundFetch({ [name]: value })).toThrow(name);
  }
});
