import fc from "fast-check";
import { expect, test } from "vitest";
import { invoke } from "../../../src/core/call/invoke.ts";
import { createRegistry } from "../../../src/core/registry/registry.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { createToolMaker } from "../../../src/sources/openapi/tools.ts";
import { fetchFor } from "../../egress/servers.ts";
import { decodePairs } from "./decoders.ts";
import { startRecording } from "./recording.ts";

/** Names that someone could use to write what is not the model's, and a free one. */
const name = fc.constantFrom(
  "key",
  "KEY",
  "key[]",
  "key[a]",
  "key.b",
  "tenant",
  "Tenant",
  "tenant[]",
  "X-Static",
  "x-static",
  "X-Tenant",
  "x-tenant",
  "Authorization",
  "authorization",
  "cookie",
  "Cookie",
  "sid",
  "free",
  "Host",
  "Content-Length",
);
const value = fc.oneof(
  fc.constantFrom("evil", "evil&key=evil", "evil; sid=evil", "a\r\nX-Static: evil", "tenant=evil"),
  fc.dictionary(name, fc.constantFrom("evil", 1), { maxKeys: 3 }),
  fc.array(fc.constantFrom("evil", "b"), { maxLength: 3 }),
);
const parameter = fc.record({
  name,
  in: fc.constantFrom("query", "header", "cookie"),
  style: fc.constantFrom("form", "deepObject", "spaceDelimited", "pipeDelimited", "simple"),
  explode: fc.boolean(),
  schema: fc.constant({}),
});
const body = fc.constantFrom("application/json", "application/x-www-form-urlencoded", "multipart/form-data", undefined);

test(
  "no argument of any document writes what is bound, forwarded, static or a credential",
  { timeout: 300_000 },
  async () => {
    const server = await startRecording((_, response) => response.end("{}"));
    const fetch = fetchFor([server]);
    const maker = createToolMaker(
      {
        openapi: "/document.json",
        auth: { apiKey: { in: "query", name: "key", value: "k1" } },
        headers: { "X-Static": "s1", Cookie: "sid=c1" },
        forward: ["X-Tenant"],
      },
      fetch,
    );
    let arrived = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(parameter, { maxLength: 4 }),
        body,
        fc.dictionary(name, value, { maxKeys: 6 }),
        value,
        async (parameters, mediaType, sent, whole) => {
          const tenant = { name: "tenant", in: "query", schema: { type: "string" } };
          const content = mediaType && { [mediaType]: { schema: { type: "object", additionalProperties: true } } };
          const post = {
            operationId: "post",
            parameters: [tenant, ...parameters],
            ...(content && { requestBody: { content } }),
            responses: {},
          };
          const document = JSON.stringify({ openapi: "3.1.0", info: {}, paths: { "/a": { post } } });
          const { taken, toolsOf } = maker;
          const read = readOpenApi(document, { name: "api", baseUrl: server.url, taken });
          const registry = createRegistry({ fetch, overrides: { "api_*": { bind: { tenant: { value: "acme" } } } } });
          registry.replace("api", toolsOf(read, new URL(server.url)), { trusted: false, trustsAnnotations: true });
          const before = server.requests.length;
          for (const args of [sent, { ...sent, body: whole }] as JsonObject[]) {
            await invoke(registry, { name: "api_post", arguments: args, headers: { "x-tenant": "t1" } });
          }
          for (const { target, headers } of server.requests.slice(before)) {
            arrived++;
            const pairs = decodePairs(target.split("?")[1] ?? "");
            const valuesOf = (wanted: string) =>
              pairs.filter(([key]) => /^[^[.]*/.exec(key)![0].trim().toLowerCase() === wanted).map(([, each]) => each);
            expect(valuesOf("key")).toEqual(["k1"]);
            expect(valuesOf("tenant")).toEqual(["acme"]);
            expect(headers).toMatchObject({ "x-static": "s1", "x-tenant": "t1" });
            expect(headers["authorization"]).toBeUndefined();
            expect(headers["cookie"]?.split("; ").filter((pair) => /^sid=/i.test(pair))).toEqual(["sid=c1"]);
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(arrived).toBeGreaterThan(100);
  },
);
