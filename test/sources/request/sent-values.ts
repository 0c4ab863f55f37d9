import fc from "fast-check";
import { expect } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCallOperation } from "../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials } from "../../../src/sources/credentials/credentials.ts";
import type { ParameterPlan, RequestPlan } from "../../../src/sources/request/plan.ts";
import { decodePairs } from "../openapi/decoders.ts";
import { type Recorded, startRecording } from "../openapi/recording.ts";

/** Characters that end, part or change something in some place of a request. */
export const nasty = [
  ..."aZ09-._~ /?#[]@!$&'()*+,;=:%\\\"<>^`{|}\t\r\n\0é日😀",
  "%2e",
  "%2F",
  "..",
  "../",
  "__proto__",
  "\r\nX-Evil: 1",
];
export const text = fc.string({ unit: fc.constantFrom(...nasty), minLength: 1, maxLength: 8 });
export const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

export const list = (item: fc.Arbitrary<unknown>) => fc.array(item, { minLength: 1, maxLength: 4 });
export const members = (key: fc.Arbitrary<string>, item: fc.Arbitrary<unknown>) =>
  fc
    .uniqueArray(fc.tuple(key, item), { minLength: 1, maxLength: 3, selector: ([name]) => name.toLowerCase() })
    .map(Object.fromEntries);
export const key = text.filter(
  (name) => name !== "__proto__" && !name.includes("]") && !/^\s*(?:tenant|key|sid)/i.test(name),
);

/** A value as a server gets it: texts, lists of texts, objects of texts. */
export function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asTexts(member)]));
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const tenant: ParameterPlan = { argument: "tenant", name: "tenant", in: "query", style: "form", explode: true };
/** Sends requests to a server that records them, with a credential in the query. */
export async function startUpstream(): Promise<(plan: RequestPlan, args: JsonObject) => Promise<Recorded>> {
  const server = await startRecording();
  const upstream = {
    base: `${server.url}/v1`,
    credentials: createCredentials({ auth: { apiKey: { in: "query", name: "key", value: "secret" } } }),
  };
  return async (plan, args) => {
    const sent = server.requests.length;
    await createCallOperation(plan, upstream, { label: "GET /a", isRepeatable: true })(args, server.context);
    expect(server.requests).toHaveLength(sent + 1);
    const request = server.requests.at(-1)!;
    expect(request.target.startsWith("/v1/a/")).toBe(true);
    expect(decodePairs(request.target.split("?")[1] ?? "").filter(([name]) => name === "key")).toEqual([
      ["key", "secret"],
    ]);
    expect(request.headers).not.toHaveProperty("x-evil");
    return request;
  };
}
