import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { type ErrorCode, errorCodes, UpstreamError } from "../../../../src/errors/errors.ts";
import { createRegistry } from "../../../../src/core/registry/registry.ts";
import type { Tool } from "../../../../src/tool/tool.ts";
import { type App, type AppOptions, createApp } from "../../../../src/http/app.ts";
import { createLifecycle } from "../../../../src/http/lifecycle.ts";
import { createWorkersDoor } from "../../../../src/workers/door.ts";
import { createWorkers } from "../../../../src/workers/workers.ts";
import { sha256 } from "../../../../src/access/keys.ts";
import { createServer } from "../../../../src/http/node/server.ts";
import type { JsonObject } from "../../../../src/json/object.ts";
import { pointerToken } from "../../../../src/json/pointer.ts";

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject; readonly example?: unknown }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, JsonObject>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

const city = {
  type: "object",
  properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
  required: ["city"],
};
const degrees = { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] };
const fails: Record<string, Partial<Tool> & Pick<Tool, "execute">> = {
  slow: { timeoutMs: 20, execute: () => new Promise(() => {}) },
  throws: {
    execute: () => Promise.reject(Object.assign(new Error("No."), { name: "ToolError", details: { at: [1] } })),
  },
  upstream: { execute: () => Promise.reject(new UpstreamError("Down.", { status: 503, retryAfterMs: 5 })) },
  wrong: { response: degrees, execute: () => ({ degrees: "many" }) },
  large: { resultBytes: 4, execute: () => "too large" },
  held: { concurrency: 1, timeoutMs: 300, execute: () => new Promise(() => {}) },
  off: { requires: ["TOOLHOST_NOT_SET"], execute: () => null },
};
const registry = createRegistry({
  env: {},
  queueMs: 0,
  tools: [
    {
      name: "get_weather",
      title: "Weather",
      description: "The weather of a city.",
      tags: ["weather"],
      annotations: { readOnly: true },
      parameters: city,
      response: degrees,
      execute: () => ({ degrees: 12 }),
    },
    ...Object.entries(fails).map(([name, tool]) => ({
      name,
      description: name,
      parameters: { type: "object" },
      ...tool,
    })),
  ],
});
const key = "a-key-of-the-service";
const appWith = (options: Partial<AppOptions>): App => createApp({ registry, metrics: () => "calls 1\n", ...options });
const open = appWith({});
const ending = appWith({ lifecycle: { ...createLifecycle(), state: "ending" } });
const locked = appWith({ apiKeys: [key] });
const workers = createWorkers({ registry, isSourceName: () => false });
workers.configure([{ name: "workers", sha256: sha256(key) }]);
const withWorkers = appWith({ doors: [createWorkersDoor(workers)] });
const broken = appWith({
  sources: () => {
    throw new Error("a fault");
  },
});

let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  document = (await (await open.request("/openapi.json")).json()) as Document;
  ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, schemas: { document: closed(document) } });
});

/** Our own schemas are open, for what later versions add; here a property that is not documented is a fault. */
function closed({ paths, components }: Document): JsonObject {
  const schemas = Object.entries(components.schemas).map(([name, schema]): [string, JsonObject] => {
    const isOurs = schema["properties"] !== undefined && !/(?:Arguments|Result)$/.test(name);
    return [name, isOurs ? { additionalProperties: false, ...schema } : schema];
  });
  return { paths, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

/** JSON Pointers of the schemas in the document: a response or what it refers to. */
function documented(path: string, method: string, status: number): { pointer: string; response: DocumentedResponse } {
  const own =
    document.paths[path] === undefined
      ? path.replace(/^\/(tools|workers)\/[^/]+/, (_, first) => (first === "tools" ? "/tools/{name}" : "/workers/{id}"))
      : path;
  const operations = document.paths[own] ?? {};
  // A method that the path does not take has no operation of its own: any one of the path tells of 405.
  const found = [method.toLowerCase(), "get", "post"].find((each) => each in operations) ?? "";
  const response = operations[found]?.responses[status];
  expect(response, `${method} ${path} answers ${status}, which is not documented`).toBeDefined();
  const ref = response!["$ref"];
  if (typeof ref === "string")
    return { pointer: ref, response: document.components.responses[ref.split("/").at(-1)!]! };
  return {
    pointer: `#/paths${encodeURI(pointerToken(own))}/${found}/responses/${status}`,
    response: response as DocumentedResponse,
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request and holds the answer against the document: its status, headers, media type and body. */
async function send(
  app: App,
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const sent = { ...(text !== undefined && { "content-type": "application/json" }), ...headers };
  const answer = await app.request(url, { method, headers: sent, ...(text !== undefined && { body: text }) });
  return check(method, url.split("?")[0]!, answer.status, answer.headers, await answer.text());
}

function check(method: string, path: string, status: number, headers: Headers, text: string): Answer {
  const { pointer, response } = documented(path, method, status);
  for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
    const isRequired = document.components.headers[$ref.split("/").at(-1)!]?.required === true;
    if (isRequired) expect(headers.has(name), `${method} ${path} ${status} has no ${name}`).toBe(true);
  }
  if (text === "") {
    expect(response.content).toBeUndefined();
    return { status, headers, body: undefined };
  }
  const type = headers.get("content-type")!.split(";")[0]!;
  expect(Object.keys(response.content ?? {})).toContain(type);
  const body: unknown = type === "application/json" ? JSON.parse(text) : text;
  const validate = validatorOf(`${pointer}/content/${type.replace("/", "~1")}/schema`);
  expect(validate(body), `${text}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  return { status, headers, body };
}

function validatorOf(pointer: string): ValidateFunction {
  return ajv.compile({ $ref: `document${pointer}` });
}

describe("an outcome is as documented", () => {
  const codes: [ErrorCode | "ok", string, unknown][] = [
    ["ok", "get_weather", { city: "Oslo" }],
    ["invalid_arguments", "get_weather", { city: 1, unit: "kelvin" }],
    ["invalid_arguments", "get_weather", []],
    ["declaration_changed", `get_weather/invoke?hash=sha256:${"0".repeat(64)}`, { city: "Oslo" }],
    ["timeout", "slow", {}],
    ["tool_failed", "throws", {}],
    ["upstream_failed", "upstream", {}],
    ["invalid_result", "wrong", {}],
    ["result_too_large", "large", {}],
    ["unavailable", "off", {}],
  ];
  test.each(codes)("%s of %s", async (code, target, args) => {
    const url = target.includes("/") ? `/tools/${target}` : `/tools/${target}/invoke`;
    // What is known and cannot run has no operation of its own, but can be called by the generic one.
    const { status, headers } = await send(open, "POST", url, args);
    expect([status, headers.get("toolhost-outcome")]).toEqual([200, code]);
  });

  test("busy", async () => {
    const first = send(open, "POST", "/tools/held/invoke");
    const { headers } = await send(open, "POST", "/tools/held/invoke");
    expect(headers.get("toolhost-outcome")).toBe("busy");
    await first;
  });

  test("with repairs", async () => {
    const args = { city: "Oslo", unit: null };
    expect(await send(open, "POST", "/tools/get_weather/invoke?repair=true", args)).toMatchObject({
      body: { status: "ok", repairs: [{ path: "/unit", kind: "dropped_null" }] },
    });
  });

  test("as a stream", async () => {
    const answer = await open.request("/tools/throws/invoke", {
      method: "POST",
      headers: { accept: "text/event-stream" },
    });
    const data = /event: outcome\ndata: (.*)\n/.exec(await answer.text())?.[1] ?? "";
    expect(validatorOf("#/components/schemas/Outcome")(JSON.parse(data))).toBe(true);
  });

  test("of many calls", async () => {
    const calls = [
      { id: 7, name: "get_weather", arguments: { city: "Oslo" } },
      { name: "get_wether" },
      3,
      { name: "slow" },
    ];
    const { body } = await send(open, "POST", "/calls?names=get_weather,slow", { calls });
    expect(body).toMatchObject({ results: [{ id: 7 }, { id: "1" }, { id: "2", name: null }, { id: "3" }] });
  });

  test("of a model's reply", async () => {
    const call = { functionCall: { name: "get_weather", args: { city: "Oslo", unit: null } } };
    const reply = { role: "model", parts: [call, { functionCall: {} }] };
    const { body } = await send(open, "POST", "/calls?format=gemini&echo=true", reply);
    expect(body).toMatchObject({
      messages: [reply, { role: "user" }],
      results: [{ id: "0" }, { name: null }],
      done: false,
    });
    const cutOff = { candidates: [{ content: reply, finishReason: "MAX_TOKENS" }] };
    expect((await send(open, "POST", "/calls?format=gemini", cutOff)).body).toMatchObject({
      warnings: [{ call: null }],
    });
    const paused = { role: "assistant", content: [], stop_reason: "pause_turn" };
    expect((await send(open, "POST", "/calls?format=anthropic", paused)).body).toMatchObject({
      done: false,
      resume: true,
    });
  });
});

describe("an answer of the service is as documented", () => {
  test.each([
    ["GET", "/tools"],
    ["GET", "/tools?q=weather&tags=weather&limit=1"],
    ["GET", "/tools/get_weather"],
    ["GET", "/status"],
    ["GET", "/openapi.json"],
    ["GET", "/metrics"],
    ["GET", "/livez"],
    ["GET", "/readyz"],
    ["GET", "/healthz"],
  ])("%s %s", async (method, url) => {
    expect((await send(open, method, url)).status).toBe(200);
  });

  test("a list that did not change", async () => {
    const { headers } = await send(open, "GET", "/tools");
    expect((await send(open, "GET", "/tools", undefined, { "if-none-match": headers.get("etag")! })).status).toBe(304);
  });

  test.each([
    "/tools",
    "/tools/get_weather",
    "/tools/get_weather/invoke",
    "/calls",
    "/status",
    "/openapi.json",
    "/metrics",
    "/livez",
  ])("a method that %s does not take", async (path) => {
    expect((await send(open, "DELETE", path)).status).toBe(405);
  });

  test.each(["/readyz", "/healthz"])("%s of a service that ends", async (path) => {
    expect((await send(ending, "GET", path)).status).toBe(503);
  });

  test("a call where a key opens the service", async () => {
    const headers = { authorization: `Bearer ${key}` };
    expect((await send(locked, "POST", "/tools/get_weather/invoke", { city: "Oslo" }, headers)).status).toBe(200);
  });

  test.each([
    ["{", 400],
    ['{"city":"Oslo","city":"Bergen"}', 400],
    ["[".repeat(70) + "]".repeat(70), 400],
  ])("a body that is refused: %s", async (body, status) => {
    expect((await send(open, "POST", "/tools/get_weather/invoke", body)).status).toBe(status);
    expect((await send(open, "POST", "/calls", body)).status).toBe(status);
  });
});

/** One request for each shared error response, whose answer is the response's example. */
const failing: Record<string, () => Promise<Answer>> = {
  BadRequest: () => send(open, "GET", "/tools?limt=3"),
  Unauthorized: () => send(locked, "GET", "/tools"),
  Forbidden: () => send(open, "GET", "/tools", undefined, { origin: "https://evil.example" }),
  UnknownTool: () => send(open, "GET", "/tools/get_wether"),
  NotFound: () => send(createApp({ registry }), "GET", "/metrics"),
  UnknownWorker: () => send(withWorkers, "POST", "/workers/x/poll", undefined, { authorization: `Bearer ${key}` }),
  MethodNotAllowed: () => send(open, "POST", "/tools"),
  BodyTooLarge: () => send(open, "POST", "/calls", " ".repeat(1_048_577)),
  UnsupportedMediaType: () => send(open, "POST", "/calls", "{}", { "content-type": "text/plain" }),
  HeadersTooLarge: () => getOverSocket("/tools", { "x-large": "x".repeat(20_000) }),
  Internal: () => send(broken, "GET", "/status"),
  ServiceUnavailable: () => send(ending, "POST", "/calls", { calls: [] }),
  NotReady: () => send(ending, "GET", "/readyz"),
  RateLimited: callOnceTooOften,
};

/** A whole minute to wait, less what passed between the two calls. */
async function callOnceTooOften(): Promise<Answer> {
  const slow = appWith({ auth: { keys: [{ name: "slow", sha256: sha256(key), callsPerMinute: 1 }] } });
  const call = () =>
    send(slow, "POST", "/tools/get_weather/invoke", { city: "Oslo" }, { authorization: `Bearer ${key}` });
  await call();
  const answer = await call();
  const { error, ...body } = answer.body as { error: { retryAfterMs: number } };
  expect(error.retryAfterMs).toBeGreaterThan(0);
  expect(error.retryAfterMs).toBeLessThanOrEqual(60_000);
  return { ...answer, body: { ...body, error: { ...error, retryAfterMs: 60_000 } } };
}

async function getOverSocket(path: string, headers: Record<string, string>): Promise<Answer> {
  const server = createServer({ app: open }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const request = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        const answered = new Headers();
        for (const [name, value] of Object.entries(response.headers)) answered.set(name, String(value));
        response.on("end", () => {
          try {
            resolve(check("GET", path, response.statusCode ?? 0, answered, text));
          } catch (error) {
            reject(error);
          }
        });
      });
      request.on("error", reject).end();
    });
  } finally {
    server.close();
  }
}

describe("the example of an error response", () => {
  const exampleOf = (name: string): { error: { code: ErrorCode } } =>
    document.components.responses[name]!.content!["application/json"]!.example as { error: { code: ErrorCode } };

  test.each(Object.entries(failing))("%s is what is answered", async (name, fail) => {
    expect((await fail()).body).toEqual(exampleOf(name));
  });

  test("RequestTimeout, for which nobody wants to wait, is as the error table has it", () => {
    const { status: _status, ...row } = errorCodes.request_timeout;
    expect(exampleOf("RequestTimeout")).toMatchObject({ error: { code: "request_timeout", ...row } });
    const others = Object.keys(document.components.responses).filter((name) => !(name in failing));
    expect(others).toEqual(["Healthy", "Done", "RequestTimeout"]);
  });

  test("and every other example fits its schema", () => {
    const media: [string, unknown][] = [];
    const visit = (node: unknown, pointer: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { schema, example, examples } = node as JsonObject;
      if (schema !== undefined && example !== undefined) media.push([pointer, example]);
      const named = schema === undefined || examples === undefined ? {} : (examples as Record<string, JsonObject>);
      for (const { value } of Object.values(named)) media.push([pointer, value]);
      for (const [name, child] of Object.entries(node)) visit(child, pointer + encodeURI(pointerToken(name)));
    };
    visit({ paths: document.paths, components: document.components }, "#");
    expect(media.length).toBeGreaterThan(30);
    for (const [pointer, example] of media) expect(validatorOf(`${pointer}/schema`)(example), pointer).toBe(true);
  });
});
