import { expect, test } from "vitest";
import { declarationOf, register } from "./scripted-worker.ts";
import { startWorkerService } from "./worker-service.ts";

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return { type: "object", not: schema };
}

function doubling(levels: number): object {
  const $defs: Record<string, object> = { d0: { type: "string" } };
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } };
  }
  return { type: "object", properties: { a: { $ref: `#/$defs/d${levels}` } }, $defs };
}

const object = (properties: object): object => ({ type: "object", properties });

test.each<[string, object, RegExp]>([
  ["nested deeply", nested(40), /more than a schema that is not trusted may have/],
  [
    "many subschemas",
    object(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`p${at}`, {}]))),
    /more than a schema that is not trusted may have/,
  ],
  [
    "a long enum",
    object({ a: { enum: Array.from({ length: 2001 }, (_, at) => at) } }),
    /more than a schema that is not trusted may have/,
  ],
  [
    "many bytes",
    object({ a: { description: "x".repeat(140_000) } }),
    /more than a schema that is not trusted may have/,
  ],
  [
    "many branches",
    object({ a: { anyOf: Array.from({ length: 300 }, (_, at) => ({ const: at })) } }),
    /more than a schema that is not trusted may have/,
  ],
  ["a remote reference", object({ a: { $ref: "https://evil.example/schema.json" } }), /leaves the schema/],
  ["a reference to a file", object({ a: { $ref: "file:///etc/passwd" } }), /leaves the schema/],
  ["a circle for one value", { ...object({}), allOf: [{ $ref: "#" }] }, /without end/],
  ["a pattern with look-ahead", object({ a: { type: "string", pattern: "(?=a)b" } }), /pattern/],
  [
    "a long pattern",
    object({ a: { type: "string", pattern: "a?".repeat(600) } }),
    /more than a schema that is not trusted may have/,
  ],
  ["a pattern that is not valid", object({ a: { type: "string", pattern: "(" } }), /pattern/],
  ["another dialect", { ...object({}), $schema: "https://example.com/dialect" }, /parameters/],
])("a schema with %s is refused, for arguments and for results", async (_what, schema, reason) => {
  const service = await startWorkerService();
  const { registered } = await register(service, [
    declarationOf("one", { parameters: schema }),
    declarationOf("two", { response: schema }),
    declarationOf("good"),
  ]);
  expect(registered.tools).toMatchObject([
    { name: "one", state: "refused", reason: expect.stringMatching(reason) as string },
    { name: "two", state: "refused", reason: expect.stringMatching(/^in "response"/) as string },
    { name: "good", state: "added" },
  ]);
});

test("references that double are refused, or cost a bounded time", async () => {
  const service = await startWorkerService();
  const { registered } = await register(service, [declarationOf("bomb", { parameters: doubling(28) })]);
  expect(registered.tools[0]!.state).toMatch(/added|refused/);
  let value: unknown = "x";
  for (let level = 0; level < 12; level++) value = { a: value, b: value };
  const { error } = await service.call("bomb", { a: value });
  expect(error?.code).toMatch(/invalid_arguments|unknown_tool/);
});

test("a pattern that backtracks takes linear time", async () => {
  const service = await startWorkerService();
  const pattern = "^(?:(?:a+)+)+$";
  await register(service, [declarationOf("match", { parameters: object({ a: { type: "string", pattern } }) })]);
  const { error } = await service.call("match", { a: `${"a".repeat(50_000)}!` });
  expect(error).toMatchObject({ code: "invalid_arguments", issues: [{ path: "/a", keyword: "pattern" }] });
});

test("half a character in a description does not reach a list", async () => {
  const service = await startWorkerService();
  const body = `{"name":"billing","tools":[{"name":"cut","description":"a\\ud800b","parameters":{"type":"object"}}]}`;
  expect((await service.ask("POST", "/workers", body)).status).toBe(201);
  const listed = await (await fetch(`${service.url}/tools/cut`)).text();
  expect((JSON.parse(listed) as { description: string }).description).toBe("a\ufffdb");
});
