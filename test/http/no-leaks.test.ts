import { expect, it } from "vitest";
import { ToolError } from "../../src/errors/errors.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { appOf, post } from "./app-in-memory.ts";
import { listenWith } from "./listening-app.ts";
import { answersIn, openSocket } from "./node/raw-socket.ts";

/** What looks like a stack, a path of the machine, or the insides of a library. */
const inside =
  /\bat .+:\d+:\d+|\/work\/|\/home\/|\/usr\/|node_modules|node:internal|\.ts\b|\.js\b|\bajv\b|SyntaxError|TypeError|RangeError|Unexpected token/;

it("no answer holds what a tool threw, what its arguments were, or where the service lives", async () => {
  const secret = "canary-4711";
  const metrics = createMetrics(() => 0);
  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const { app } = appOf(
    [
      { name: "error", execute: throwing(new Error(secret)) },
      { name: "caused", execute: throwing(new ToolError("Try again.", { cause: new Error(secret) })) },
      { name: "text", execute: throwing(secret) },
      { name: "object", execute: throwing({ secret, message: secret }) },
      { name: "bug", execute: (args) => (args["a"] as () => unknown)() },
      { name: "unusable", execute: () => ({ a: new Map([[secret, 1]]) }) },
      {
        name: "picky",
        parameters: { type: "object", properties: { a: { type: "integer", maximum: 5 }, b: { pattern: "^x$" } } },
      },
      { name: "strange", response: { type: "integer" }, execute: () => secret },
      { name: "large", resultBytes: 5, execute: () => secret },
    ],
    { metrics: metrics.text, apiKeys: ["key-canary"] },
    { observer: { onCall: metrics.onCall } },
  );
  const authorization = "Bearer key-canary";
  const args = JSON.stringify({ a: secret, b: secret });
  const codes = new Set<string>();
  for (const name of ["error", "caused", "text", "object", "bug", "unusable", "picky", "strange", "large", secret]) {
    const { body, headers } = await post(app, `/tools/${name}/invoke`, args, { authorization });
    const text = JSON.stringify([body, [...headers]]);
    expect(text, name).not.toContain(secret);
    expect(text, name).not.toMatch(inside);
    codes.add(body.error?.code ?? "ok");
  }
  expect([...codes].sort()).toEqual([
    "invalid_arguments",
    "invalid_result",
    "result_too_large",
    "tool_failed",
    "unknown_tool",
  ]);

  for (const [text, headers] of [
    [`{"a":"${secret}","b":1e999}`, { authorization }],
    [`{"a":${secret}`, { authorization }],
    [args, { authorization: `Bearer ${secret}` }],
    [args, { authorization, "content-type": secret }],
    [args, { authorization, origin: `http://${secret}` }],
  ] as const) {
    const { status, body } = await post(app, "/tools/picky/invoke", text, headers);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).not.toMatch(inside);
    expect(JSON.stringify(body)).not.toMatch(/canary/);
  }
  const told = await (await app.request("/metrics", { headers: { authorization } })).text();
  expect(told).toContain('tool="picky"');
  expect(told).not.toMatch(/canary/);
});

it("no answer to broken HTTP holds a word of it, or of Node", async () => {
  const { port } = await listenWith([{}]);
  for (const broken of [
    "GET /canary\r\n\r\n",
    "canary\r\n\r\n",
    "GET / HTTP/1.1\r\ncanary\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: /canary/\r\n\r\n",
  ]) {
    const raw = await openSocket(port);
    raw.send(broken);
    await raw.until((text) => answersIn(text).length > 0);
    expect(raw.text).not.toMatch(/canary|HPE_|llhttp|Parse Error/);
    expect(raw.text).not.toMatch(inside);
    raw.socket.destroy();
  }
});
