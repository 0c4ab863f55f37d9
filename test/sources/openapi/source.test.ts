import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readToolConfig } from "../../../src/config/read-tools.ts";
import { outcomeOf } from "../../../src/core/call/start-call.ts";
import { createTools } from "../../../src/service/tools.ts";
import type { OpenApiSetting } from "../../../src/sources/openapi/setting.ts";
import type { ToolOverrides } from "../../../src/tool/overrides.ts";
import { startServer } from "../../egress/servers.ts";

const base = await readToolConfig({ "no-bundled": true }, {}, "/");

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  summary: operationId,
  responses: { 200: { description: "", content: { "application/json": { schema: { type: "object" } } } } },
  ...more,
});

const documentOf = (more: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: operation("getPet"),
      delete: operation("deletePet"),
    },
    "/pets": {
      get: operation("listPets", { parameters: [{ name: "tenant", in: "query", schema: { type: "string" } }] }),
    },
  },
  ...more,
});

interface Upstream {
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"] }[];
  answer(request: IncomingMessage, response: ServerResponse): void;
}

async function startUpstream() {
  const upstream: Upstream = {
    requests: [],
    answer(request, response) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ path: request.url }));
    },
  };
  const server = await startServer((request, response) => {
    upstream.requests.push({ method: request.method!, url: request.url!, headers: request.headers });
    upstream.answer(request, response);
  });
  return Object.assign(upstream, { url: server.url });
}

function writeDocument(document: object): string {
  const dir = mkdtempSync(join(tmpdir(), "toolhost-openapi-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "petstore.json");
  writeFileSync(path, JSON.stringify(document));
  return path;
}

function start() {
  const tools = createTools({ firstRetryMs: 60_000 });
  onTestFinished(() => tools.close(1000));
  const load = (setting: OpenApiSetting, overrides: ToolOverrides = {}) =>
    tools.load({ ...base, bundledTools: false, sources: [setting], overrides });
  const call = (name: string, args: object, headers?: Record<string, string>) =>
    outcomeOf(tools.startCall, { name, arguments: args, ...(headers && { headers }) });
  const names = () => tools.registry.list().map(({ tool }) => tool.name);
  return { ...tools, load, call, names };
}

describe("a document in a file", () => {
  test("is a source named after the file, whose operations are tools", async () => {
    const upstream = await startUpstream();
    const { load, call, names, status, registry } = start();
    await load({ openapi: writeDocument(documentOf()), baseUrl: `${upstream.url}/v2`, timeoutMs: 4321 });
    expect(names()).toEqual(["petstore_deletePet", "petstore_getPet", "petstore_listPets"]);
    expect(status()).toEqual([
      { name: "petstore", kind: "openapi", state: "ready", isRead: true, tools: 3, skipped: [], warnings: [] },
    ]);
    expect(registry.find("petstore_getPet")?.declaration).toMatchObject({
      title: "getPet",
      annotations: { readOnly: true },
      timeoutMs: 4321,
    });
    expect(await call("petstore_getPet", { id: "a/../b" })).toMatchObject({ result: { path: "/v2/pets/a%2F..%2Fb" } });
  });

  test("keeps its tools over a reload if it did not change, and has others if it did", async () => {
    const upstream = await startUpstream();
    const path = writeDocument(documentOf());
    const setting = { openapi: path, baseUrl: upstream.url };
    // A file that was written at this moment is read again, because the next change may have the same time.
    await sleep(100);
    const { load, registry, names, files } = start();
    await load(setting);
    expect([...files().files.keys()]).toEqual([path]);
    const before = registry.find("petstore_getPet");
    const { version } = registry;
    await load(setting);
    expect([registry.find("petstore_getPet") === before, registry.version]).toEqual([true, version]);
    writeFileSync(path, JSON.stringify(documentOf({ paths: { "/a": { get: operation("getA") } } })));
    await load(setting);
    expect(names()).toEqual(["petstore_getA"]);
  });

  test("that is broken later keeps its tools, and the status has the reason", async () => {
    const upstream = await startUpstream();
    const path = writeDocument(documentOf());
    const { load, names, status, call } = start();
    await load({ openapi: path, baseUrl: upstream.url });
    writeFileSync(path, "openapi: [");
    await load({ openapi: path, baseUrl: upstream.url });
    expect(names()).toHaveLength(3);
    expect(status()[0]).toMatchObject({ state: "failed", reason: expect.stringMatching(/\w/) as string });
    expect((await call("petstore_listPets", {})).status).toBe("ok");
  });

  test("without a server lists its tools, and says that baseUrl is missing", async () => {
    const { load, call, status } = start();
    await load({ openapi: writeDocument(documentOf()) });
    expect(status()[0]).toMatchObject({
      tools: 3,
      warnings: [{ message: expect.stringContaining("baseUrl") as string }],
    });
    expect(await call("petstore_listPets", {})).toMatchObject({
      error: { code: "unavailable", action: "stop", ran: "no" },
    });
  });

  test("that is not there does not stop the start", async () => {
    const { load, status } = start();
    await load({ openapi: "/nowhere/petstore.yaml" });
    expect(status()[0]).toMatchObject({ state: "failed", reason: "the file petstore.yaml does not exist" });
  });
});

describe("a document from a URL", () => {
  async function startDocument(document: object) {
    const upstream = await startUpstream();
    const state: { document: object; etag: string | undefined } = { document, etag: '"1"' };
    const { answer } = upstream;
    upstream.answer = (request, response) => {
      if (request.url !== "/openapi.json") return answer(request, response);
      if (state.etag !== undefined) {
        if (request.headers["if-none-match"] === state.etag) return response.writeHead(304).end();
        response.setHeader("etag", state.etag);
      }
      response.end(JSON.stringify(state.document));
    };
    return { upstream, state, openapi: `${upstream.url}/openapi.json` };
  }

  test("is asked for with its ETag, and its server is relative to it", async () => {
    const { upstream, state, openapi } = await startDocument(documentOf({ servers: [{ url: "/api" }] }));
    const { load, call, registry } = start();
    await load({ openapi, auth: { bearer: "secret-token" } });
    expect(await call("openapi_listPets", {})).toMatchObject({ result: { path: "/api/pets" } });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer secret-token"]);
    const before = registry.find("openapi_listPets");
    await load({ openapi, auth: { bearer: "secret-token" } });
    expect(registry.find("openapi_listPets")).toBe(before);
    state.etag = '"2"';
    state.document = documentOf({ servers: [{ url: "/v2" }] });
    await load({ openapi, auth: { bearer: "secret-token" } });
    expect(await call("openapi_listPets", {})).toMatchObject({ result: { path: "/v2/pets" } });
  });

  test("without an ETag is not registered again if its bytes are the same", async () => {
    const { state, openapi } = await startDocument(documentOf({ servers: [{ url: "/api" }] }));
    state.etag = undefined;
    const { load, registry } = start();
    await load({ openapi });
    const before = registry.find("openapi_listPets");
    await load({ openapi });
    expect(registry.find("openapi_listPets")).toBe(before);
    state.document = documentOf({ servers: [{ url: "/v2" }] });
    await load({ openapi });
    expect(registry.find("openapi_listPets")).not.toBe(before);
  });

  test("that names a server elsewhere gets no credential, header or forwarded header", async () => {
    const other = await startUpstream();
    const { openapi } = await startDocument(documentOf({ servers: [{ url: other.url }] }));
    for (const sent of [
      { auth: { bearer: "secret" } },
      { headers: { "X-Key": "secret" } },
      { forward: ["X-Tenant"] },
    ]) {
      const { load, names, status } = start();
      await load({ openapi, ...sent });
      expect(names()).toEqual([]);
      expect(status()[0]).toMatchObject({
        state: "failed",
        reason: expect.stringContaining("set baseUrl") as string,
      });
    }
    expect(other.requests).toEqual([]);
  });

  test("that moves its server is refused, and the list before stays", async () => {
    const other = await startUpstream();
    const { upstream, state, openapi } = await startDocument(documentOf({ servers: [{ url: "/" }] }));
    const { load, call, status } = start();
    await load({ openapi });
    state.etag = '"2"';
    state.document = documentOf({ servers: [{ url: other.url }] });
    await load({ openapi });
    expect(status()[0]).toMatchObject({ state: "failed", tools: 3 });
    expect((await call("openapi_listPets", {})).status).toBe("ok");
    expect([other.requests.length, upstream.requests.at(-1)?.url]).toEqual([0, "/pets"]);
  });

  test("that is an error has the status in the reason", async () => {
    const upstream = await startUpstream();
    upstream.answer = (_, response) => response.writeHead(503).end();
    const { load, status } = start();
    await load({ openapi: `${upstream.url}/openapi.json` });
    expect(status()[0]).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("503") as string,
    });
  });
});

test("what is bound, forwarded, static or a credential arrives, whatever the arguments are", async () => {
  const upstream = await startUpstream();
  const { load, call, registry } = start();
  await load(
    {
      openapi: writeDocument(documentOf()),
      baseUrl: upstream.url,
      headers: { "X-Api-Version": "2" },
      forward: ["X-Tenant"],
      auth: { apiKey: { in: "query", name: "key", value: "k1" } },
    },
    { "petstore_*": { bind: { tenant: { value: "acme" } } } },
  );
  expect(JSON.stringify(registry.find("petstore_listPets")?.declaration)).not.toContain("tenant");
  expect(await call("petstore_listPets", { tenant: "evil" })).toMatchObject({ error: { code: "invalid_arguments" } });
  expect(await call("petstore_listPets", {}, { "x-tenant": "t1", "x-other": "no" })).toMatchObject({ status: "ok" });
  expect(upstream.requests).toHaveLength(1);
  const [{ url, headers }] = upstream.requests as [Upstream["requests"][number]];
  expect(new URL(url, "http://x").searchParams.getAll("tenant")).toEqual(["acme"]);
  expect(new URL(url, "http://x").searchParams.getAll("key")).toEqual(["k1"]);
  expect(headers).toMatchObject({ "x-api-version": "2", "x-tenant": "t1" });
  expect(headers).not.toHaveProperty("x-other");
});

test("a result that breaks the document's schema is passed on, unless the operator enforces it", async () => {
  const upstream = await startUpstream();
  upstream.answer = (_, response) => response.setHeader("content-type", "application/json").end("[1]");
  const setting = { openapi: writeDocument(documentOf()), baseUrl: upstream.url };
  const { load, call } = start();
  await load(setting);
  expect(await call("petstore_listPets", {})).toMatchObject({ status: "ok", result: [1] });
  await load({ ...setting, response: "enforce" });
  expect(await call("petstore_listPets", {})).toMatchObject({ error: { code: "invalid_result" } });
});

test("a source at its limit of concurrent calls answers busy, and no further request is sent", async () => {
  const upstream = await startUpstream();
  const waiting: ServerResponse[] = [];
  upstream.answer = (_, response) => void waiting.push(response);
  const { load, call, registry } = start();
  await load({ openapi: writeDocument(documentOf()), baseUrl: upstream.url, concurrency: 1 });
  registry.configure({ queueMs: 0 });
  const first = call("petstore_listPets", {});
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await call("petstore_getPet", { id: "1" })).toMatchObject({
    error: { code: "busy", ran: "no", retryable: true },
  });
  waiting[0]!.end("{}");
  expect(await first).toMatchObject({ status: "ok" });
  expect(upstream.requests).toHaveLength(1);
});

test("a parameter with the name of a credential, a static or a forwarded header is not an argument", async () => {
  const upstream = await startUpstream();
  const parameters = ["X-Key", "X-Static", "X-Tenant", "X-Free"].map((name) => ({
    name,
    in: "header",
    required: true,
    schema: { type: "string" },
  }));
  const { load, call, registry } = start();
  await load({
    openapi: writeDocument(documentOf({ paths: { "/a": { get: operation("getA", { parameters }) } } })),
    baseUrl: upstream.url,
    auth: { apiKey: { in: "header", name: "x-key", value: "k" } },
    headers: { "X-Static": "s" },
    forward: ["X-TENANT"],
  });
  expect(registry.find("petstore_getA")?.declaration.parameters).toMatchObject({ required: ["X-Free"] });
  expect(await call("petstore_getA", { "X-Free": "f" })).toMatchObject({ status: "ok" });
  expect(upstream.requests[0]?.headers).toMatchObject({ "x-key": "k", "x-static": "s", "x-free": "f" });
});

describe("operations at the edges", () => {
  const file = (type: string) => ({ responses: { 200: { description: "", content: { [type]: {} } } } });
  const body = (type: string) => ({
    requestBody: { content: { [type]: { schema: { type: "string", format: "binary" } } } },
  });
  const paths = {
    "/image": { get: operation("getImage", file("image/png")), put: operation("putImage", body("image/*")) },
    "/search": { get: operation("search", body("application/json")), trace: operation("traceSearch") },
  };

  test("an image is a content block", async () => {
    const upstream = await startUpstream();
    upstream.answer = (_, response) => response.setHeader("content-type", "image/png").end(Buffer.from([1, 2, 3]));
    const { load, call } = start();
    await load({ openapi: writeDocument(documentOf({ paths })), baseUrl: upstream.url });
    expect(await call("petstore_getImage", {})).toMatchObject({
      result: { content: [{ type: "image", data: "AQID", mimeType: "image/png" }] },
    });
  });

  test("a file says its own type within a range of types", async () => {
    const upstream = await startUpstream();
    const { load, call } = start();
    await load({ openapi: writeDocument(documentOf({ paths })), baseUrl: upstream.url });
    expect(await call("petstore_putImage", { body: "data:image/gif;base64,AQID" })).toMatchObject({ status: "ok" });
    expect(upstream.requests[0]?.headers["content-type"]).toBe("image/gif");
    expect(await call("petstore_putImage", { body: "data:text/html,x" })).toMatchObject({
      error: { code: "invalid_arguments" },
    });
  });

  test("a GET has no body argument, and TRACE is skipped", async () => {
    const { load, registry, status } = start();
    await load({ openapi: writeDocument(documentOf({ paths })), baseUrl: "http://127.0.0.1:9" });
    expect(registry.find("petstore_search")?.declaration.parameters).toMatchObject({ properties: {} });
    expect(status()[0]?.skipped).toMatchObject([{ name: "TRACE /search" }]);
  });
});

describe("names that others own", () => {
  const form = (type: string) => ({
    requestBody: {
      content: { [type]: { schema: { type: "object", properties: { tenant: {} }, additionalProperties: true } } },
    },
  });
  const header = (name: string) => ({ name, in: "header", schema: { type: "string" } });
  const deep = { name: "filter", in: "query", style: "deepObject", explode: true, schema: { type: "object" } };
  const inner = { name: "filter[tenant]", in: "query", schema: { type: "string" } };
  const paths = {
    "/form": { post: operation("postForm", form("application/x-www-form-urlencoded")) },
    "/parts": { post: operation("postParts", form("multipart/form-data")) },
    "/deep": { get: operation("getDeep", { parameters: [deep, inner] }) },
    "/twins": { get: operation("getTwins", { parameters: [header("X-Tenant"), header("x-tenant")] }) },
    "/cookies": {
      get: operation("getCookies", {
        parameters: [{ name: "sid", in: "cookie", schema: { type: "string" } }, header("Cookie")],
      }),
    },
  };

  test("are not written by what readers of forms take for the same name", async () => {
    const upstream = await startUpstream();
    const { load, call, registry } = start();
    const bind = { tenant: { value: "acme" }, "filter[tenant]": { value: "acme" } };
    await load(
      { openapi: writeDocument(documentOf({ paths })), baseUrl: upstream.url },
      { "petstore_*": { bind: { tenant: bind.tenant } }, petstore_getDeep: { bind } as never },
    );
    for (const name of ["tenant[]", "Tenant", "tenant[a]", "tenant.b"]) {
      for (const tool of ["petstore_postForm", "petstore_postParts"]) {
        expect(await call(tool, { [name]: "evil" })).toMatchObject({ error: { code: "invalid_arguments" } });
      }
    }
    expect(await call("petstore_getDeep", { filter: { "tenant][": "evil" } })).toMatchObject({ status: "error" });
    expect(upstream.requests).toEqual([]);
    expect(Object.keys(propertiesOf("petstore_getTwins"))).toHaveLength(1);
    expect(Object.keys(propertiesOf("petstore_getCookies"))).toEqual(["sid"]);

    function propertiesOf(tool: string): object {
      const { parameters } = registry.find(tool)!.declaration;
      return (parameters as { properties: object }).properties;
    }
  });
});

test("a document cannot move its server in two steps, nor by a change of other settings", async () => {
  const path = writeDocument(documentOf({ servers: [{ url: "https://one.example" }] }));
  const { load, status } = start();
  const setting: OpenApiSetting = { openapi: path, auth: { bearer: "secret" } };
  await load(setting);
  writeFileSync(path, JSON.stringify(documentOf()));
  await load(setting);
  writeFileSync(path, JSON.stringify(documentOf({ servers: [{ url: "https://evil.example" }] })));
  await load(setting);
  expect(status()[0]).toMatchObject({ state: "failed", tools: 3 });
  await load({ ...setting, timeoutMs: 9000 });
  expect(status()[0]).toMatchObject({ state: "failed", tools: 3 });
  await load({ ...setting, baseUrl: "https://evil.example" });
  expect(status()[0]).toMatchObject({ state: "ready", tools: 3 });
});

test("the URL of a document with a password is refused, and no reason or fault contains it", async () => {
  const faults: unknown[] = [];
  const tools = createTools({ firstRetryMs: 60_000, onFault: (fault) => faults.push(fault) });
  onTestFinished(() => tools.close(1000));
  await tools.load({
    ...base,
    bundledTools: false,
    sources: [{ openapi: "https://u:SECRET@127.0.0.1:9/d?key=SECRET" }],
  });
  expect(tools.status()[0]?.reason).toContain("password");
  expect(faults).toEqual([]);
});

test("a retry that is not admitted answers with the failure of the attempt that ran", async () => {
  const upstream = await startUpstream();
  upstream.answer = (_, response) => response.writeHead(503).end();
  const { load, call } = start();
  await load(
    { openapi: writeDocument(documentOf()), baseUrl: upstream.url, callsPerMinute: 1 },
    { "petstore_*": { retries: 2 } },
  );
  expect(await call("petstore_listPets", {})).toMatchObject({
    error: { code: "upstream_failed", upstream: { status: 503 } },
  });
  expect(upstream.requests).toHaveLength(1);
});

test("media types that no header can contain are not sent", async () => {
  const upstream = await startUpstream();
  const { load, call } = start();
  const responses = {
    200: { description: "", content: { "application/js\u00f6n\u2192": {}, "application/json": {} } },
  };
  await load({
    openapi: writeDocument(documentOf({ paths: { "/a": { get: { operationId: "a", responses } } } })),
    baseUrl: upstream.url,
  });
  expect(await call("petstore_a", {})).toMatchObject({ status: "ok" });
  expect(upstream.requests[0]?.headers.accept).toBe("application/json");
});

test("of names that servers take for one, the plain one is an argument; parts of a name that is not there are others", async () => {
  const query = (name: string) => ({ name, in: "query", schema: { type: "string" } });
  const parameters = ["tenant[]", "tenant", "Tenant", "tenant[a]", "page[size]", "page[number]"].map(query);
  const properties = { "ids[]": {}, ids: {}, IDS: {} };
  const form = { requestBody: { content: { "multipart/form-data": { schema: { type: "object", properties } } } } };
  const json = { requestBody: { content: { "application/json": { schema: { type: "object", properties } } } } };
  const paths = {
    "/a": { get: operation("getA", { parameters }), post: operation("postA", form), put: operation("putA", json) },
  };
  const { load, registry } = start();
  await load({ openapi: writeDocument(documentOf({ paths })), baseUrl: "http://127.0.0.1:9" });
  const namesOf = (tool: string) =>
    Object.keys((registry.find(tool)!.declaration.parameters as { properties: object }).properties);
  expect(namesOf("petstore_getA")).toEqual(["tenant", "page[size]", "page[number]"]);
  expect(namesOf("petstore_postA")).toEqual(["ids"]);
  expect(namesOf("petstore_putA")).toEqual(["ids[]", "ids", "IDS"]);
});

describe("what an operator should see before a call", () => {
  const warningsOf = async (document: object, setting: Partial<OpenApiSetting> = {}) => {
    const { load, status } = start();
    await load({ openapi: writeDocument(document), ...setting });
    return status()[0]?.warnings.map(({ message }) => message);
  };

  test.each([
    "http://127.0.0.1:9/v1",
    "http://localhost:9",
    "http://10.0.0.1",
    "http://[::1]:9",
    "http://169.254.169.254",
  ])("the first server %s is not public, which baseUrl allows", async (url) => {
    const document = documentOf({ servers: [{ url }] });
    expect(await warningsOf(document)).toEqual([expect.stringContaining("to allow them, set baseUrl")]);
    expect(await warningsOf(document, { baseUrl: url })).toEqual([]);
  });

  test("include and exclude leave nothing", async () => {
    const document = documentOf({ servers: [{ url: "https://pets.example" }] });
    expect(await warningsOf(document)).toEqual([]);
    expect(await warningsOf(document, { include: ["GET /pet/*"] })).toEqual([
      '"include" and "exclude" select none of the document\'s 3 operations',
    ]);
  });
});

describe("a secret in the URL of a document", () => {
  test.each([
    "URL/d.json?key=s3cret",
    "URL/d.json#s3cret",
    "http://127.0.0.1:1/d.json?key=s3cret",
    "http://10.0.0.1/?s3cret",
    "http://user:s3cret@127.0.0.1/d.json",
    "http:/user:s3cret@127.0.0.1/d.json",
    "http://user:s3cret@",
  ])("is neither in the name of the source nor in its status: %s", async (url) => {
    const server = await startServer((_, response) => void response.writeHead(403).end("s3cret"));
    const { load, status } = start();
    await load({ openapi: url.replace("URL", server.url) });
    expect(status()[0]).toMatchObject({ state: "failed", reason: expect.stringMatching(/\w/) as string });
    expect(JSON.stringify(status())).not.toContain("s3cret");
  });
});
