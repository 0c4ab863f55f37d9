import { expect, test } from "vitest";
import { createCallOperation } from "../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials } from "../../../src/sources/credentials/credentials.ts";
import { createAccessTokens, type OAuthSettings } from "../../../src/sources/credentials/oauth.ts";
import type { RequestPlan } from "../../../src/sources/request/plan.ts";
import { failureOf, fetchFor } from "../../egress/servers.ts";
import { decodePairs } from "../openapi/decoders.ts";
import { contextOf, type RecordingServer, startRecording } from "../openapi/recording.ts";

const secret = "s3cret:/é";

function settings(server: RecordingServer, more: Partial<OAuthSettings> = {}): OAuthSettings {
  return { tokenUrl: `${server.url}/token`, clientId: "id:1", clientSecret: secret, ...more };
}

/** A token endpoint that numbers its tokens. */
function startTokens(lifetimeSeconds?: number): Promise<RecordingServer> {
  let count = 0;
  return startRecording((_, response) => {
    response.end(JSON.stringify({ access_token: `t${++count}`, token_type: "Bearer", expires_in: lifetimeSeconds }));
  });
}

const noSignal = () => new AbortController().signal;

/** An API that accepts some tokens only, and a call of it. */
async function startApi(
  tokenServer: RecordingServer,
  accepted: readonly string[],
  method = "GET",
  isRepeatable = true,
) {
  const api = await startRecording(({ headers }, response) => {
    const isAccepted = accepted.includes(String(headers["authorization"]).replace("Bearer ", ""));
    response.writeHead(isAccepted ? 200 : 401).end(JSON.stringify(headers["authorization"]));
  });
  const fetch = fetchFor([api, tokenServer]);
  const oauth2 = settings(tokenServer);
  const upstream = {
    base: api.url,
    credentials: createCredentials({ auth: { oauth2 } }),
    tokens: createAccessTokens(oauth2, fetch),
  };
  const plan: RequestPlan = { method, path: ["/x"], parameters: [] };
  const call = createCallOperation(plan, upstream, { label: `${method} /x`, isRepeatable });
  return { api, call: () => call({}, contextOf(fetch)) };
}

test("the client authenticates by a header, or in the form", async () => {
  const server = await startTokens();
  await createAccessTokens(settings(server, { scopes: ["a", "b c"], audience: "x&y" }), fetchFor([server])).get(
    noSignal(),
  );
  await createAccessTokens(settings(server, { clientAuth: "post" }), fetchFor([server])).get(noSignal());
  const [basic, post] = server.requests;
  expect(basic).toMatchObject({
    method: "POST",
    target: "/token",
    headers: {
      authorization: `Basic ${Buffer.from("id%3A1:s3cret%3A%2F%C3%A9").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
  });
  expect(decodePairs(basic!.body.toString())).toEqual([
    ["grant_type", "client_credentials"],
    ["scope", "a b c"],
    ["audience", "x&y"],
  ]);
  expect(post!.headers).not.toHaveProperty("authorization");
  expect(decodePairs(post!.body.toString())).toEqual([
    ["grant_type", "client_credentials"],
    ["client_id", "id:1"],
    ["client_secret", secret],
  ]);
});

test("a thousand calls wait for one token request, and one that leaves does not end it", async () => {
  const server = await startTokens(3600);
  const tokens = createAccessTokens(settings(server), fetchFor([server]));
  const caller = new AbortController();
  const left = tokens.get(caller.signal);
  const others = Array.from({ length: 1000 }, () => tokens.get(noSignal()));
  caller.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  expect(new Set(await Promise.all(others))).toEqual(new Set(["t1"]));
  expect(server.requests).toHaveLength(1);
});

test("a token is renewed before it expires, and used until then if that fails", async () => {
  let time = 0;
  let isDown = false;
  let count = 0;
  const server = await startRecording((_, response) => {
    if (isDown) response.writeHead(500).end();
    else response.end(JSON.stringify({ access_token: `t${++count}`, expires_in: "600" }));
  });
  const tokens = createAccessTokens(settings(server), fetchFor([server]), () => time);
  const at = (ms: number) => {
    time = ms;
    return tokens.get(noSignal());
  };
  expect([await at(0), await at(539_999), await at(540_000)]).toEqual(["t1", "t1", "t2"]);
  isDown = true;
  expect(await at(540_000 + 599_000)).toBe("t2");
  await expect(at(540_000 + 600_000)).rejects.toMatchObject({ name: "UpstreamError", status: 500, ran: "no" });
  isDown = false;
  expect(await at(540_000 + 600_000)).toBe("t3");
});

test.each<[string, number, string, Record<string, string>]>([
  ["an error that quotes the secret", 400, `{"error":"${secret}"}`, {}],
  ["a redirect", 302, "", { location: "/elsewhere" }],
  ["no JSON", 200, secret, {}],
  ["no token", 200, "{}", {}],
  ["a token that a header cannot contain", 200, '{"access_token":"a\\nb"}', {}],
  ["a token of another type", 200, '{"access_token":"a","token_type":"mac"}', {}],
])("%s of the token endpoint is upstream_failed without the secret", async (_, status, body, headers) => {
  const server = await startRecording((__, response) => void response.writeHead(status, headers).end(body));
  const failure = await failureOf(createAccessTokens(settings(server), fetchFor([server])).get(noSignal()));
  expect(failure).toMatchObject({ name: "UpstreamError", ran: "no" });
  expect(JSON.stringify(failure)).not.toContain("s3cret");
  expect(server.requests).toHaveLength(1);
});

test("a 401 renews the token once, and the request is repeated", async () => {
  const tokens = await startTokens(3600);
  const { api, call } = await startApi(tokens, ["t2"]);
  expect(await call()).toBe("Bearer t2");
  expect(await call()).toBe("Bearer t2");
  expect(tokens.requests).toHaveLength(2);
  expect(api.requests).toHaveLength(3);
});

test("a 401 of many calls renews the token once", async () => {
  const tokens = await startTokens(3600);
  const { call } = await startApi(tokens, ["t2"]);
  expect(new Set(await Promise.all(Array.from({ length: 50 }, call)))).toEqual(new Set(["Bearer t2"]));
  expect(tokens.requests).toHaveLength(2);
});

test("a second 401 is the answer, without the token", async () => {
  const tokens = await startTokens(3600);
  const { api, call } = await startApi(tokens, []);
  expect(await failureOf(call())).toMatchObject({ status: 401, details: { body: "Bearer ***" } });
  expect(api.requests).toHaveLength(2);
});

test("a 401 of a call that is not safe to repeat is the answer, and the next call has another token", async () => {
  const tokens = await startTokens(3600);
  const { api, call } = await startApi(tokens, ["t2"], "POST", false);
  expect(await failureOf(call())).toMatchObject({ status: 401 });
  expect(api.requests).toHaveLength(1);
  expect(await call()).toBe("Bearer t2");
});
