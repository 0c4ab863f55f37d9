import { expect, test } from "vitest";
import type { CredentialOptions } from "../../../../src/sources/credentials/credentials.ts";
import { describeRequest } from "../../../../src/sources/openapi/call/dry-run.ts";
import type { RequestPlan } from "../../../../src/sources/request/plan.ts";

const plan: RequestPlan = {
  method: "POST",
  path: ["/pets/", { argument: "id", name: "id", in: "path", style: "simple", explode: false }],
  parameters: [{ argument: "q", name: "q", in: "query", style: "form", explode: true }],
  body: { mediaType: "application/json", kind: "json", from: { argument: "body" }, isRequired: false },
  accept: "application/json",
};

test("the request of a call is a text", () => {
  const options = { headers: { "X-A": "secret" }, forward: ["X-User"] };
  expect(describeRequest(plan, "http://api.example/v1", options, { id: "a/b", q: ["x", "y"], body: { n: 1 } })).toBe(
    `POST http://api.example/v1/pets/a%2Fb?q=x&q=y
X-A: masked
x-user: (as it comes)
accept: application/json
content-type: application/json

{"n":1}
`,
  );
});

test.each<[CredentialOptions, string]>([
  [{ auth: { bearer: "s3cret" } }, "authorization: Bearer masked"],
  [{ auth: { basic: { username: "user", password: "s3cret" } } }, "authorization: Basic dXNlcjptYXNrZWQ="],
  [{ auth: { apiKey: { in: "header", name: "X-Key", value: "s3cret" } } }, "X-Key: masked"],
  [{ auth: { apiKey: { in: "query", name: "key", value: "s3cret" } } }, "?key=masked"],
  [{ auth: { apiKey: { in: "cookie", name: "sid", value: "s3cret" } } }, "cookie: sid=masked"],
  [
    { auth: { oauth2: { tokenUrl: "http://t/", clientId: "id", clientSecret: "s3cret" } } },
    "authorization: Bearer masked",
  ],
  [{ headers: { Cookie: "sid=s3cret" } }, "cookie: masked"],
])("its secrets are masked: %j", (options, expected) => {
  const text = describeRequest(plan, "http://api.example", options, { id: 1 });
  expect(text).toContain(expected);
  expect(text).not.toMatch(/s3cret|czNjcmV0|OnMzY3JldA/);
});

test("arguments that cannot be written are refused, as in the call", () => {
  expect(() => describeRequest(plan, "http://api.example", {}, { id: ".." })).toThrow(
    expect.objectContaining({ code: "invalid_arguments" }),
  );
});

test("of the base nothing but its origin and path is sent or shown", () => {
  const text = describeRequest(plan, "http://user:s3cret@api.example/v1?key=s3cret#s3cret", {}, { id: 1 });
  expect(text).toMatch(/^POST http:\/\/api\.example\/v1\/pets\/1\n/);
  expect(text).not.toContain("s3cret");
});
