import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { dialectNames } from "../../../../src/dialects/dialects.ts";
import { errorCodes } from "../../../../src/errors/errors.ts";
import { createRegistry } from "../../../../src/core/registry/registry.ts";
import { createApp } from "../../../../src/http/app.ts";
import { version } from "../../../../src/package.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example: unknown;
  readonly schema?: { readonly enum?: readonly string[] };
}
type PathItem = Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>;
interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
}

const document = parse(readFileSync(new URL("../../../../openapi.yaml", import.meta.url), "utf8")) as Document;

const registry = createRegistry({
  tools: [
    {
      name: "get_weather",
      description: "The weather.",
      tags: ["weather"],
      parameters: { type: "object" },
      execute: () => 12,
    },
  ],
});
const app = createApp({ registry, metrics: () => "" });

/** Each operation as `GET /tools/{name}`, with what it takes. */
const operations = Object.entries(document.paths)
  // test/workers/documented.test.ts compares those of workers.
  .filter(([path]) => !path.startsWith("/workers"))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [] }]) => ({
      title: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters,
    })),
  );

test("every parameter is written out in its operation, as many importers follow no $ref there", () => {
  for (const item of Object.values(document.paths)) expect(item).not.toHaveProperty("parameters");
  for (const { title, parameters } of operations) {
    for (const parameter of parameters) expect(parameter, title).toMatchObject({ name: expect.any(String) });
  }
});

test("the documented operations are the routes of the app, all of them but static files", () => {
  const routes = app.answering.routes.filter(({ path }) => !path.endsWith("/*"));
  const served = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(operations.map(({ title }) => title).sort()).toEqual(served.sort());
});

test("the formats are those of the table of dialects", () => {
  const formats = operations.flatMap(({ parameters }) => parameters.filter(({ name }) => name === "format"));
  expect(formats).toHaveLength(2);
  for (const { schema } of formats) expect(schema?.enum).toEqual(["toolhost", ...dialectNames]);
});

test("the codes and actions are those of the error table", () => {
  const { ErrorCode, Action } = document.components.schemas;
  expect(ErrorCode?.enum).toEqual(Object.keys(errorCodes));
  const actions = new Set(Object.values(errorCodes).map(({ action }) => action));
  // `retry` is also what `check_before_retry` becomes where a tool may be run twice.
  expect([...Action!.enum!].sort()).toEqual([...actions].sort());
});

test("the schemas use no word that JSON Schema does not know", () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: true, allowUnionTypes: true });
  ajv.addVocabulary([...Object.keys(document), "discriminator"]);
  ajv.addSchema({ $id: "document", ...document });
  for (const name of Object.keys(document.components.schemas))
    ajv.compile({ $ref: `document#/components/schemas/${name}` });
});

test("the version is the package's", () => {
  expect(document.info.version).toBe(version);
});

// Probes and scrapers may put into a query what they like; these routes read none.
const anyQuery = new Set(["/status", "/metrics", "/livez", "/readyz", "/healthz"]);

describe.each(operations)("$title", ({ method, path, parameters }) => {
  const url = path.replace("{name}", "get_weather");
  const body = path === "/calls" ? '{"calls":[]}' : "{}";
  const send = async (query: string, headers: Record<string, string> = {}): Promise<number> => {
    const json = { "content-type": "application/json", ...headers };
    const init = method === "POST" ? { method, body, headers: json } : { method, headers };
    return (await app.request(url + query, init)).status;
  };

  test.each(parameters.filter((parameter) => parameter.in === "query"))(
    "takes $name in the query",
    async ({ name, example }) => {
      const value = encodeURIComponent(String(example));
      expect(await send(`?${name}=${value}`)).toBe(200);
    },
  );

  test.each(parameters.filter((parameter) => parameter.in === "header"))(
    "takes the header $name",
    async ({ name, example }) => {
      expect(await send("", { [name]: String(example) })).toBe(200);
    },
  );

  test("refuses a query parameter that is not documented", async () => {
    expect(await send("?undocumented=1")).toBe(anyQuery.has(path) ? 200 : 400);
  });
});

test.each(["/tools/get_weather/invoke", "/calls"])(
  "what a later version will do is refused at %s, as documented",
  async (path) => {
    for (const headers of [{ "idempotency-key": "k" }, { prefer: "respond-async" }]) {
      expect((await app.request(path, { method: "POST", headers })).status).toBe(400);
    }
  },
);

test("every query parameter that a route knows is documented", async () => {
  // A route names all it knows where it refuses a name that is like none of them.
  const hints = await Promise.all(
    operations
      .filter(({ path }) => !anyQuery.has(path))
      .map(async ({ title, method, path, parameters }) => {
        const url = `${path.replace("{name}", "get_weather")}?undocumented=1`;
        const answer = await app.request(url, { method });
        const told = /It takes ([^.]+)\./.exec(await answer.text())?.[1]?.split(", ") ?? [];
        const known = told.filter((name) => name !== "none");
        return {
          title,
          undocumented: known.filter((name) => !parameters.some((parameter) => parameter.name === name)),
        };
      }),
  );
  for (const { undocumented } of hints) expect(undocumented).toEqual([]);
});
