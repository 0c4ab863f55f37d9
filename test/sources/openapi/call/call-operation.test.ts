import { describe, expect, test } from "vitest";
import { createRegistry, invoke, type JsonObject, type Tool } from "../../../../src/index.ts";
import { type CallOperation, createCallOperation } from "../../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials, type CredentialOptions } from "../../../../src/sources/credentials/credentials.ts";
import type { RequestPlan } from "../../../../src/sources/request/plan.ts";
import { fetchFor, startServer } from "../../../egress/servers.ts";
import { contextOf, type Recorded, startRecording } from "../recording.ts";

const get: RequestPlan = { method: "GET", path: ["/x"], parameters: [] };

function operation(
  base: string,
  options: CredentialOptions = {},
  plan: RequestPlan = get,
  asBlocks = false,
): CallOperation {
  const upstream = { base, credentials: createCredentials(options) };
  return createCallOperation(plan, upstream, { label: `${plan.method} /x`, isRepeatable: true, asBlocks });
}

/** The result of a GET that is answered so. */
async function resultOf(status: number, type: string | undefined, body: string | Buffer, asBlocks = false) {
  const server = await startRecording((_, response) => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  });
  return operation(server.url, {}, get, asBlocks)({}, server.context);
}

/** The outcome of a call of a tool with these annotations. */
async function outcomeOf(
  answer: Parameters<typeof startRecording>[0],
  {
    annotations = { readOnly: true },
    options = {},
    ...settings
  }: Partial<Tool> & { readonly options?: CredentialOptions } = {},
) {
  const server = await startRecording(answer);
  const execute = operation(server.url, options) as unknown as Tool["execute"];
  const tool: Tool = {
    name: "x",
    description: "X.",
    parameters: { type: "object" },
    annotations,
    ...settings,
    execute,
  };
  const outcome = await invoke(createRegistry({ fetch: fetchFor([server]), tools: [tool] }), {
    name: "x",
    arguments: {},
  });
  return { outcome, requests: server.requests };
}

describe("a success answer", () => {
  test.each<[string, number, string | undefined, string, unknown]>([
    ["JSON", 200, "application/json", '{"a":[1]}', { a: [1] }],
    ["JSON after a POST", 201, "application/json; charset=utf-8", '{"id":1}', { id: 1 }],
    ["JSON of another name", 200, "application/vnd.api+json", "[1]", [1]],
    ["a JSON scalar", 200, "application/json", "true", true],
    ["JSON without a type", 206, undefined, '{"a":1}', { a: 1 }],
    ["JSON as text", 200, "text/plain", ' {"a":1}', { a: 1 }],
    ["JSON with a byte order mark", 200, "application/json", '\ufeff{"a":1}', { a: 1 }],
    ["text", 202, "text/plain", "accepted", "accepted"],
    ["HTML", 200, "text/html", "<p>é</p>", "<p>é</p>"],
    ["an SVG", 200, "image/svg+xml", "<svg/>", "<svg/>"],
    ["what is not JSON, though it says so", 200, "application/json", '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
    ["text without a type", 200, undefined, "é", "é"],
    ["text of an unknown type", 200, "application/x-thing", "thing", "thing"],
    ["nothing", 200, "application/json", "", null],
    ["no content", 204, undefined, "", null],
    [
      "large numbers that are exact",
      200,
      "application/json",
      "[9007199254740992, 1e300, 0.1234567890123456]",
      [2 ** 53, 1e300, 0.1234567890123456],
    ],
    ["digits in a text", 200, "application/json", '{"id":"12345678901234567891"}', { id: "12345678901234567891" }],
  ])("is a result: %s", async (_, status, type, body, expected) => {
    expect(await resultOf(status, type, body)).toEqual(expected);
  });

  test.each([
    "[1,9007199254740993]",
    '{"id":12345678901234567891}',
    "-9007199254740993",
    `${"[".repeat(70)}9007199254740993${"]".repeat(70)}`,
  ])("with an integer that would be rounded is invalid_result: %s", async (body) => {
    await expect(resultOf(200, "application/json", body)).rejects.toMatchObject({ code: "invalid_result" });
  });

  test.each([
    `${"[".repeat(70)}"9007199254740993"${"]".repeat(70)}`,
    '["id: 9007199254740993, and", "a\\": 9007199254740993]"]',
    "[0.9007199254740993123, 9007199254740992, 1e-9007199254740993, 12345678901234567e3]",
    '{"9007199254740993": 1}',
  ])("with such digits in a text or a decimal is a result: %s", async (body) => {
    expect(await resultOf(200, "application/json", body)).toEqual(JSON.parse(body));
  });

  test("of another charset is read in it", async () => {
    expect(await resultOf(200, "text/plain; charset=iso-8859-1", Buffer.from("é", "latin1"))).toBe("é");
    expect(await resultOf(200, 'text/plain; charset="no-such"', Buffer.from("é"))).toBe("é");
  });

  test.each<[string | undefined, JsonObject]>([
    ["image/png", { type: "image", mimeType: "image/png", data: "AP8A" }],
    ["audio/mpeg", { type: "audio", mimeType: "audio/mpeg", data: "AP8A" }],
    ["application/pdf", { type: "resource", resource: { mimeType: "application/pdf", blob: "AP8A" } }],
    [
      "application/octet-stream",
      { type: "resource", resource: { mimeType: "application/octet-stream", blob: "AP8A" } },
    ],
    [undefined, { type: "resource", resource: { mimeType: "application/octet-stream", blob: "AP8A" } }],
  ])("of bytes is one block: %s", async (type, block) => {
    expect(await resultOf(200, type, Buffer.from([0, 255, 0]))).toMatchObject({ content: [block] });
  });

  test("is blocks whatever it is, for a tool whose answers are bytes", async () => {
    const text = (value: string) => ({ content: [{ type: "text", text: value }] });
    expect(await resultOf(200, "application/json", '{"a":1}', true)).toEqual(text('{"a":1}'));
    expect(await resultOf(200, "text/plain", "a", true)).toEqual(text("a"));
    expect(await resultOf(200, "text/plain", "", true)).toEqual({ content: [] });
    expect(await resultOf(200, "image/png", "a", true)).toMatchObject({ content: [{ type: "image" }] });
  });
});

describe("an answer that is not a success", () => {
  test.each<[number, string, boolean, string]>([
    [400, "no", false, "stop"],
    [404, "no", false, "stop"],
    [408, "unknown", true, "retry"],
    [429, "no", true, "retry_later"],
    [500, "unknown", true, "retry"],
    [503, "unknown", true, "retry_later"],
  ])("is upstream_failed with its status and body: %i", async (status, ran, retryable, action) => {
    const body = '{"message":"no pet 7"}';
    const { outcome, requests } = await outcomeOf((_, response) => void response.writeHead(status).end(body));
    expect(outcome).toMatchObject({
      status: "error",
      error: {
        code: "upstream_failed",
        upstream: { status },
        ran,
        retryable,
        action,
        details: { body: { message: "no pet 7" } },
      },
    });
    expect(requests).toHaveLength(1);
  });

  test("is not retryable if the tool is not safe, and is not sent again", async () => {
    const { outcome, requests } = await outcomeOf((_, response) => void response.writeHead(503).end(), {
      annotations: {},
    });
    expect(outcome).toMatchObject({ error: { retryable: false, action: "check_before_retry" } });
    expect(requests).toHaveLength(1);
  });

  test("is sent again with `retries`, and the last one counts", async () => {
    let calls = 0;
    const { outcome, requests } = await outcomeOf(
      (_, response) => void (++calls < 3 ? response.writeHead(502).end() : response.end('"well"')),
      { retries: 2 },
    );
    expect(outcome).toMatchObject({ status: "ok", result: "well" });
    expect(requests).toHaveLength(3);
  });

  test.each<[number, string, number | undefined]>([
    [429, "7", 7000],
    [503, new Date(Date.now() + 60_000).toUTCString(), 60_000],
    [503, "Sun, 06 Nov 1994 08:49:37 GMT", 0],
    [503, "Sunday, 06-Nov-94 08:49:37 GMT", 0],
    [503, "Sun Nov  6 08:49:37 1994", 0],
    [429, "-5", undefined],
    [429, "soon", undefined],
    [500, "7", undefined],
  ])("has retryAfterMs from Retry-After: %i %s", async (status, value, expected) => {
    const { outcome } = await outcomeOf(
      (_, response) => void response.writeHead(status, { "retry-after": value }).end(),
    );
    const { retryAfterMs } = (outcome as unknown as { readonly error: { readonly retryAfterMs?: number } }).error;
    if (expected === 60_000) expect(Math.abs(retryAfterMs! - expected)).toBeLessThan(30_000);
    else expect(retryAfterMs).toBe(expected);
  });

  test("has a bounded body, and none of bytes", async () => {
    const long = await outcomeOf((_, response) => void response.writeHead(400).end("é".repeat(100_000)));
    const { details } = (long.outcome as unknown as { readonly error: { readonly details: { readonly body: string } } })
      .error;
    expect(details.body).toHaveLength(4097);
    const bytes = await outcomeOf(
      (_, response) => void response.writeHead(400, { "content-type": "image/png" }).end("x"),
    );
    expect(bytes.outcome).not.toHaveProperty("error.details");
  });

  test("does not wait for the end of a long body", async () => {
    const { outcome } = await outcomeOf((_, response) => {
      response.writeHead(400);
      response.write("x".repeat(100_000));
    });
    expect(outcome).toMatchObject({ error: { code: "upstream_failed" } });
  });

  test.each<[string, CredentialOptions]>([
    ["bearer", { auth: { bearer: "s3cret/token" } }],
    ["basic", { auth: { basic: { username: "user", password: "s3cret/token" } } }],
    ["apiKey in a header", { auth: { apiKey: { in: "header", name: "X-Key", value: "s3cret/token" } } }],
    ["apiKey in the query", { auth: { apiKey: { in: "query", name: "key", value: "s3cret/token" } } }],
    ["apiKey in a cookie", { auth: { apiKey: { in: "cookie", name: "key", value: "s3cret/to;ken" } } }],
    ["a static header", { headers: { "X-Secret": 's3cret/"token"' } }],
    ["a static header with a scheme", { headers: { "X-Secret": "Token s3cret/token" } }],
  ])("never shows a credential that the API quotes: %s", async (_, options) => {
    const { outcome } = await outcomeOf(
      ({ target, headers }, response) => {
        const { accept: __, ...own } = headers;
        response.writeHead(401).end(JSON.stringify({ target, own }));
      },
      { options },
    );
    const text = JSON.stringify(outcome);
    expect(text).toContain("***");
    expect(text).not.toMatch(/s3cret|czNjcmV0|dXNlcjpz/);
  });

  test.each(["X-User-Token s3cret/token", "Token s3cret/token"])(
    "never shows a forwarded header that the API quotes, in any JSON: %s",
    async (value) => {
      const server = await startRecording(({ headers }, response) => {
        const own = String(headers["x-user"]).split(" ").at(-1);
        response.writeHead(403).end(JSON.stringify({ own }).replaceAll("/", "\\/"));
      });
      const failed = operation(server.url, { forward: ["X-User"] })(
        {},
        {
          ...server.context,
          headers: { "x-user": value },
        },
      );
      await expect(failed).rejects.toMatchObject({ details: { body: { own: "***" } } });
    },
  );

  test("is the text of a page in place of its markup", async () => {
    const page = `<!doctype html><html><head><title>500 &#8211; Oops</title><style>p{}</style></head><body>
      <!-- trace --><script>if (1 < 2) run()</script><h1>It failed</h1><p>Try&nbsp;again &amp; again</body></html>`;
    for (const type of ["text/html; charset=utf-8", "text/plain"]) {
      const { outcome } = await outcomeOf(
        (_, response) => void response.writeHead(500, { "content-type": type }).end(page),
      );
      expect(outcome).toMatchObject({
        error: { upstream: { status: 500 }, details: { body: "500 – Oops\nIt failed\nTry again & again" } },
      });
    }
  });

  test("is worth another look if it is a 429 and the tool is not safe", async () => {
    const { outcome, requests } = await outcomeOf(
      (_, response) => void response.writeHead(429, { "retry-after": "7" }).end(),
      { annotations: {} },
    );
    expect(outcome).toMatchObject({
      error: {
        retryable: false,
        action: "check_before_retry",
        ran: "no",
        retryAfterMs: 7000,
        message: expect.stringContaining("may work later") as string,
      },
    });
    expect(requests).toHaveLength(1);
  });

  test("is a network fault if there is no answer", async () => {
    const { outcome } = await outcomeOf((_, response) => void response.destroy());
    expect(outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown", retryable: true } });
    expect(outcome).not.toHaveProperty("error.upstream");
  });

  test("is one too if it breaks off", async () => {
    const { outcome } = await outcomeOf((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
    expect(outcome).toMatchObject({ error: { code: "upstream_failed", retryable: true } });
  });
});

describe("a redirect", () => {
  const options: CredentialOptions = { auth: { bearer: "secret" } };

  test("on the same origin is followed, with the credentials", async () => {
    const server = await startRecording(({ target }, response) => {
      if (target === "/x") response.writeHead(301, { location: "/y" }).end();
      else response.end('"well"');
    });
    expect(await operation(server.url, options)({}, server.context)).toBe("well");
    expect(server.requests.map(({ target, headers }) => [target, headers["authorization"]])).toEqual([
      ["/x", "Bearer secret"],
      ["/y", "Bearer secret"],
    ]);
  });

  test("to another origin is not followed", async () => {
    const other = await startRecording();
    for (const location of [`${other.url}/x`, "//127.0.0.2/x", "https://127.0.0.1/x", "file:///etc/passwd"]) {
      const server = await startRecording((_, response) => void response.writeHead(307, { location }).end());
      await expect(operation(server.url, options)({}, contextOf(fetchFor([server, other])))).rejects.toMatchObject({
        name: "UpstreamError",
        status: 307,
      });
    }
    expect(other.requests).toEqual([]);
  });

  test("ends after three", async () => {
    const server = await startRecording((_, response) => void response.writeHead(302, { location: "/x" }).end());
    await expect(operation(server.url)({}, server.context)).rejects.toMatchObject({ status: 302 });
    expect(server.requests).toHaveLength(4);
  });

  test.each([
    [303, "GET", ""],
    [301, "GET", ""],
    [307, "POST", "{}"],
    [308, "POST", "{}"],
  ])("with status %i continues a POST as %s", async (status, method, body) => {
    const plan: RequestPlan = {
      ...get,
      method: "POST",
      body: { mediaType: "application/json", kind: "json", from: { argument: "body" }, isRequired: true },
    };
    const server = await startRecording(({ target }, response) => {
      if (target === "/x") response.writeHead(status, { location: "/y" }).end();
      else response.end();
    });
    await operation(server.url, {}, plan)({ body: {} }, server.context);
    const last = server.requests.at(-1)!;
    expect([last.method, last.body.toString(), last.headers["content-type"]]).toEqual([
      method,
      body,
      body === "" ? undefined : "application/json",
    ]);
  });
});

describe("what the service adds", () => {
  async function sent(
    options: CredentialOptions,
    plan: RequestPlan = get,
    headers: Record<string, string> = {},
    args: JsonObject = {},
  ) {
    const server = await startRecording();
    await operation(server.url, options, plan)(args, { ...server.context, headers });
    return server.requests[0] as Recorded;
  }

  test.each<[CredentialOptions, Record<string, string>, string]>([
    [{ auth: { bearer: "t" } }, { authorization: "Bearer t" }, "/x"],
    [{ auth: { basic: { username: "ü", password: "p:" } } }, { authorization: "Basic w7w6cDo=" }, "/x"],
    [{ auth: { apiKey: { in: "header", name: "X-Key", value: "k" } } }, { "x-key": "k" }, "/x"],
    [{ auth: { apiKey: { in: "query", name: "a b", value: "k&" } } }, {}, "/x?a%20b=k%26"],
    [{ auth: { apiKey: { in: "cookie", name: "sid", value: "k;" } } }, { cookie: "sid=k%3B" }, "/x"],
    [
      { headers: { "X-Api-Version": "2", "Content-Type": "x/y", Cookie: "a=b" } },
      { "x-api-version": "2", cookie: "a=b" },
      "/x",
    ],
    [{ headers: { Accept: "text/csv" } }, { accept: "text/csv" }, "/x"],
  ])("is sent: %j", async (options, headers, target) => {
    const request = await sent(options);
    const { accept, ...own } = request.headers;
    expect(accept === "*/*" ? own : request.headers).toEqual(headers);
    expect(request.target).toBe(target);
  });

  test("has an order: auth, headers, forward; the first has the name", async () => {
    const options: CredentialOptions = {
      auth: { apiKey: { in: "header", name: "X-Key", value: "auth" } },
      headers: { "x-key": "static", "X-Tenant": "static" },
      forward: ["X-Key", "x-tenant", "X-User"],
    };
    const { headers } = await sent(options, get, { "x-key": "f", "x-tenant": "f", "x-user": "f", "x-other": "f" });
    expect(headers).toEqual({ accept: "*/*", "x-key": "auth", "x-tenant": "static", "x-user": "f" });
  });

  test("keeps the name of a forwarded header that the call does not have", async () => {
    const parameters = [{ argument: "X-User", name: "X-User", in: "header", style: "simple", explode: false }] as const;
    await expect(sent({ forward: ["x-user"] }, { ...get, parameters }, {}, { "X-User": "evil" })).rejects.toMatchObject(
      {
        code: "invalid_arguments",
      },
    );
  });

  test("is refused at the start if a header cannot contain it, without its value", () => {
    for (const options of [{ auth: { bearer: "a\nb" } }, { headers: { "X-A": "日" } }]) {
      expect(() => createCredentials(options)).toThrow(
        /^The value of the header (?:authorization|X-A) contains characters/,
      );
    }
  });

  test("includes the trace of the call, unless something else sets it", async () => {
    const server = await startRecording();
    const trace = { traceparent: "00-1-2-01", tracestate: "a=b" };
    await operation(server.url)({}, { ...server.context, trace });
    await operation(server.url, { headers: { Traceparent: "own" } })({}, { ...server.context, trace });
    expect(server.requests.map(({ headers }) => [headers["traceparent"], headers["tracestate"]])).toEqual([
      ["00-1-2-01", "a=b"],
      ["own", undefined],
    ]);
  });
});

test("a caller who leaves ends the upstream request", async () => {
  let closed: () => void;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const caller = new AbortController();
  const gone = new Error("gone");
  const server = await startServer((incoming, response) => {
    response.on("close", () => closed());
    incoming.on("end", () => caller.abort(gone)).resume();
  });
  const context = contextOf(fetchFor([server]), caller.signal);
  await expect(operation(server.url)({}, context)).rejects.toBe(gone);
  await isClosed;
});
