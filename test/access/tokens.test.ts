import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createAuthenticate } from "../../src/access/authenticate.ts";
import type { JwtOptions } from "../../src/access/tokens.ts";
import type { Caller } from "../../src/core/caller.ts";
import { CallError } from "../../src/errors/errors.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { toolOf } from "../core/one-tool.ts";
import { audience, goodClaims, startIssuer } from "./token-issuer.ts";

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

type Asking = (token: string) => Promise<Caller | CallError>;

/** @returns the caller, or what the token was refused with */
function askingWith(jwt: JwtOptions, onFault?: (error: unknown) => void, apiKeys: string[] = []): Asking {
  const authenticate = createAuthenticate({ apiKeys, auth: { jwt }, onFault });
  return async (token) => {
    try {
      return await authenticate(`Bearer ${token}`);
    } catch (error) {
      if (error instanceof CallError) return error;
      throw error;
    }
  };
}

const refused = expect.objectContaining({
  code: "unauthorized",
  message: "The key or token is not valid.",
  extras: {},
});

afterEach(() => void vi.useRealTimers());

describe("a token of the issuer", () => {
  it.each(["RS256", "RS512", "PS384", "ES256", "ES512", "EdDSA", "Ed25519"])(
    "that is signed with %s opens the service, and its issuer and subject are the caller",
    async (alg) => {
      const issuer = await startIssuer(alg);
      const ask = askingWith(issuer.options);
      expect(await ask(await issuer.token())).toMatchObject({ id: `${issuer.options.issuer} agent-7` });
    },
  );

  it("may be for several audiences, and the service may be several", async () => {
    const issuer = await startIssuer();
    const ask = askingWith({ ...issuer.options, audience: ["other", audience] });
    expect(await ask(await issuer.token({ aud: ["else", audience] }))).toHaveProperty("id");
    expect(await ask(await issuer.token({ aud: "other" }))).toHaveProperty("id");
    expect(await ask(await issuer.token({ aud: "else" }))).toEqual(refused);
  });

  it("stands beside keys, one of which may look like a token", async () => {
    const issuer = await startIssuer();
    const looksLikeToken = await issuer.token({ exp: undefined });
    const ask = askingWith(issuer.options, undefined, ["plain", looksLikeToken]);
    expect(await ask("plain")).toHaveProperty("id");
    expect(await ask(looksLikeToken)).toHaveProperty("id");
    expect(issuer.asked).toBe(0);
    expect(await ask(await issuer.token())).toMatchObject({ id: `${issuer.options.issuer} agent-7` });
    expect(await ask("unknown")).toEqual(refused);
  });

  it.each<[string, Record<string, unknown>]>([
    ["no exp", { exp: undefined }],
    ["an exp that is text", { exp: String(inSeconds(600)) }],
    ["an exp that is null", { exp: null }],
    ["an exp that has just passed", { exp: inSeconds(-1) }],
    ["an exp of long ago", { exp: inSeconds(-86_400) }],
    ["an nbf that is to come", { nbf: inSeconds(120) }],
    ["an nbf that is text", { nbf: "0" }],
    ["no aud", { aud: undefined }],
    ["another aud", { aud: "https://other.example" }],
    ["an aud that begins alike", { aud: `${audience}.evil.example` }],
    ["an aud of none", { aud: [] }],
    ["no iss", { iss: undefined }],
    ["another iss", { iss: "https://evil.example" }],
    ["an iss that is a list", { iss: ["https://evil.example"] }],
    ["no sub", { sub: undefined }],
    ["an empty sub", { sub: "" }],
    ["a sub that is a number", { sub: 7 }],
    ["a sub with a line break", { sub: "agent\nlevel: error" }],
    ["a sub with an escape sequence", { sub: "agent\u001b[2J" }],
    ["a sub whose letters run backwards", { sub: "agent\u202e7" }],
    ["a sub of 256 characters", { sub: "x".repeat(256) }],
  ])("with %s opens nothing (A3)", async (_title, claims) => {
    const issuer = await startIssuer();
    expect(await askingWith(issuer.options)(await issuer.token(claims))).toEqual(refused);
  });

  it("may come from an issuer whose clock is a little ahead", async () => {
    const issuer = await startIssuer();
    expect(await askingWith(issuer.options)(await issuer.token({ nbf: inSeconds(10) }))).toHaveProperty("id");
  });
});

describe("a forged token (A3)", () => {
  it("with alg none opens nothing, and nothing is fetched for it", async () => {
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    for (const alg of ["none", "None", "NONE", undefined]) {
      const claims = `${part({ alg, kid: "key-1" })}.${part(goodClaims(issuer.options.issuer))}`;
      for (const signature of ["", "x", part({})]) expect(await ask(`${claims}.${signature}`)).toEqual(refused);
    }
    expect(issuer.asked).toBe(0);
  });

  it("that is signed with the public key as a secret opens nothing", async () => {
    const issuer = await startIssuer("RS256");
    const ask = askingWith(issuer.options);
    for (const alg of ["HS256", "HS384", "HS512"]) {
      for (const secret of [issuer.publicPem, issuer.answer!, ""]) {
        const claims = `${part({ alg, kid: "key-1" })}.${part(goodClaims(issuer.options.issuer))}`;
        const signature = createHmac(`sha${alg.slice(2)}`, secret)
          .update(claims)
          .digest("base64url");
        expect(await ask(`${claims}.${signature}`)).toEqual(refused);
      }
    }
  });

  it("that brings its own key, or says where to find it, opens nothing and leads nowhere", async () => {
    const issuer = await startIssuer();
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: "key-1" };
    let reached = 0;
    const evil = createServer((_request, response) => {
      reached++;
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void evil.close());
    const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/keys`;
    const ask = askingWith(issuer.options);
    for (const header of [{ jwk }, { jku: url }, { x5u: url }, { x5c: ["MIIB"] }, { jku: url, crit: ["jku"] }]) {
      const signed = new SignJWT(goodClaims(issuer.options.issuer)).setProtectedHeader({
        alg: "ES256",
        kid: "key-1",
        ...header,
      });
      expect(await ask(await signed.sign(privateKey, { crit: { jku: true } }))).toEqual(refused);
    }
    expect(reached).toBe(0);
  });

  it.each([
    ["that was changed", (token: string) => token.replace(/\.(.)/, (_, first: string) => `.${first}A`)],
    ["without its signature", (token: string) => token.slice(0, token.lastIndexOf(".") + 1)],
    ["with another's signature", (token: string) => `${token.slice(0, token.lastIndexOf("."))}.${"A".repeat(86)}`],
    ["with a part too many", (token: string) => `${token}.x`],
    ["whose claims are no JSON", (token: string) => token.replace(/\.[^.]+\./, ".e30x.")],
    ["that is two with a comma", (token: string) => `${token},${token}`],
    ["of dots", () => ".."],
    ["of 15 KB", () => `${"x".repeat(5000)}.${"x".repeat(5000)}.${"x".repeat(5000)}`],
  ])("%s opens nothing", async (_title, change) => {
    const issuer = await startIssuer();
    expect(await askingWith(issuer.options)(change(await issuer.token()))).toEqual(refused);
  });
});

describe("the tools claim", () => {
  const registry = createRegistry({ tools: ["get_a", "get_b", "put_a"].map((name) => toolOf({ name })) });
  const open = async (claims: Record<string, unknown>): Promise<string[] | CallError> => {
    const issuer = await startIssuer();
    const caller = await askingWith({ ...issuer.options, toolsClaim: "tools" })(await issuer.token(claims));
    if (caller instanceof CallError) return caller;
    return registry
      .list()
      .filter((entry) => caller.rights?.allows(entry) ?? true)
      .map((entry) => entry.tool.name);
  };

  it.each<[unknown, string[]]>([
    [["get_*"], ["get_a", "get_b"]],
    [
      ["get_a", "put_a"],
      ["get_a", "put_a"],
    ],
    ["get_a  put_*", ["get_a", "put_a"]],
    ["*", ["get_a", "get_b", "put_a"]],
    [["*"], ["get_a", "get_b", "put_a"]],
    ["openid profile", []],
    [["get_a put_a"], []],
    [[], []],
    ["", []],
  ])("%j leaves %j", async (tools, names) => expect(await open({ tools })).toEqual(names));

  it.each([undefined, null, true, 1, {}, [1], ["get_a", null], [["get_a"]]])("%j opens nothing", async (tools) => {
    expect(await open({ tools })).toEqual(refused);
  });

  it("is looked for among the claims alone", async () => {
    const issuer = await startIssuer();
    const ask = askingWith({ ...issuer.options, toolsClaim: "constructor" });
    expect(await ask(await issuer.token())).toEqual(refused);
  });
});

describe("the issuer's keys", () => {
  it("are fetched once, by the first token, however many come at once (O4)", async () => {
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, index) => issuer.token({ sub: `agent-${index}` })),
    );
    const callers = await Promise.all(Array.from({ length: 1000 }, (_, index) => ask(tokens[index % 100]!)));
    expect(callers.every((caller) => !(caller instanceof CallError))).toBe(true);
    expect(issuer.asked).toBe(1);
  });

  it("are not fetched again for each token that names an unknown one", async () => {
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    for (let index = 0; index < 50; index++) {
      expect(await ask(await issuer.token({}, { kid: `unknown-${index}` }))).toEqual(refused);
    }
    expect(issuer.asked).toBe(1);
  });

  it("may be replaced: a token of the new one is good once it may be asked for, and one of the old no longer", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    expect(await ask(await issuer.token({ sub: "before" }))).toHaveProperty("id");
    const old = await issuer.token({ sub: "old" });
    await issuer.rotate();
    vi.setSystemTime(Date.now() + 31_000);
    expect(await ask(await issuer.token({ sub: "after" }))).toHaveProperty("id");
    expect(await ask(old)).toEqual(refused);
    expect(issuer.asked).toBe(2);
  });

  it("that cannot be had are told of once, and nobody is let in or asks again at once", async () => {
    const issuer = await startIssuer();
    vi.useFakeTimers({ toFake: ["performance"] });
    const good = issuer.answer;
    const faults: unknown[] = [];
    const ask = askingWith(issuer.options, (error) => faults.push(error));
    const token = await issuer.token();
    for (const answer of [undefined, "<html>", "{}", '{"keys":1}', "null"]) {
      issuer.answer = answer;
      const before = issuer.asked;
      for (let index = 0; index < 10; index++) {
        expect(await ask(token)).toMatchObject({
          code: "unauthorized",
          message: expect.stringContaining("cannot be checked now"),
          extras: { retryable: true, action: "retry_later" },
        });
      }
      expect(issuer.asked - before).toBe(1);
      expect(faults.splice(0)).toHaveLength(1);
      vi.advanceTimersByTime(2001);
    }
    issuer.answer = good;
    expect(await ask(token)).toHaveProperty("id");
  });

  it("serve on for a while where no new ones can be had", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    expect(await ask(await issuer.token())).toHaveProperty("id");
    issuer.answer = undefined;
    vi.advanceTimersByTime(1_800_000);
    expect(await ask(await issuer.token())).toHaveProperty("id");
    vi.advanceTimersByTime(1_800_001);
    expect(await ask(await issuer.token())).toMatchObject({ extras: { retryable: true } });
  });

  it("that are no good key are the issuer's fault, which is told once and not for each request", async () => {
    const issuer = await startIssuer();
    issuer.answer = JSON.stringify({ keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "key-1" }] });
    const faults: unknown[] = [];
    const ask = askingWith(issuer.options, (error) => faults.push(error));
    for (let index = 0; index < 5; index++) {
      expect(await ask(await issuer.token())).toMatchObject({ code: "unauthorized" });
    }
    expect(faults).toHaveLength(1);
  });

  it("come by the fetch that is given", async () => {
    const issuer = await startIssuer();
    const urls: unknown[] = [];
    const given: typeof fetch = (url, init) => {
      urls.push(url);
      return fetch(url, init);
    };
    expect(await askingWith({ ...issuer.options, fetch: given })(await issuer.token())).toHaveProperty("id");
    expect(urls).toEqual([issuer.options.jwksUrl]);
  });
});

describe("a token that was good", () => {
  it("is known at once, without looking at its signature again", async () => {
    const issuer = await startIssuer();
    const authenticate = createAuthenticate({ auth: { jwt: issuer.options } });
    const authorization = `Bearer ${await issuer.token()}`;
    const caller = await authenticate(authorization);
    expect(authenticate(authorization)).toBe(caller);
  });

  it("is looked at again after a minute", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const issuer = await startIssuer();
    const authenticate = createAuthenticate({ auth: { jwt: issuer.options } });
    const authorization = `Bearer ${await issuer.token()}`;
    await authenticate(authorization);
    vi.advanceTimersByTime(60_001);
    const again = authenticate(authorization);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toHaveProperty("id");
  });

  it("is good until its exp and no longer", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const issuer = await startIssuer();
    const ask = askingWith(issuer.options);
    const token = await issuer.token({ exp: inSeconds(10) });
    expect(await ask(token)).toHaveProperty("id");
    vi.advanceTimersByTime(8000);
    expect(await ask(token)).toHaveProperty("id");
    vi.advanceTimersByTime(2000);
    expect(await ask(token)).toEqual(refused);
  });

  it("is forgotten where too many others came after it", async () => {
    const issuer = await startIssuer();
    const authenticate = createAuthenticate({ auth: { jwt: issuer.options } });
    const first = `Bearer ${await issuer.token({ sub: "first" })}`;
    await authenticate(first);
    for (let index = 0; index < 1000; index++) await authenticate(`Bearer ${await issuer.token({ sub: `${index}` })}`);
    expect(authenticate(first)).toBeInstanceOf(Promise);
    expect(await authenticate(first)).toHaveProperty("id");
  });
});

it("a set-up without a URL of keys is refused when it is made", () => {
  expect(() => createAuthenticate({ auth: { jwt: { issuer: "x", audience: "x", jwksUrl: "no url" } } })).toThrow(
    "Invalid URL",
  );
});
