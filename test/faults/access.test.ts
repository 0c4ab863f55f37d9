import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { exchangeText, openSocket, requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { ask, call, get, type Service, sharedService, spawnService } from "./service.ts";

const key = "key-of-the-operator-0123456789";
const bearer = { authorization: `Bearer ${key}` };

describe("with keys", () => {
  const service = sharedService({ env: { TOOLHOST_API_KEYS: key } });

  fault("A1", "a wrong token or none is 401 in one shape, before the body is read", async () => {
    const wrong = [
      undefined,
      "",
      "Basic a2V5",
      "bearer",
      "Bearer",
      "Bearer  ",
      `Basic ${key}`,
      `Bearer ${key}x`,
      `Bearer ${key.slice(1)}`,
      `Bearer ${"x".repeat(8000)}`,
      key,
      `Bearer ${key} ${key}`,
    ];
    const bodies = new Set<string>();
    for (const authorization of wrong) {
      const answer = await call(service(), "echo", "{}", { authorization });
      expect({ authorization, status: answer.status, code: answer.code }).toEqual({
        authorization,
        status: 401,
        code: "unauthorized",
      });
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
      bodies.add(JSON.stringify([answer.headers["www-authenticate"], answer.body]));
    }
    // One for what is not a credential, one for every credential that is refused.
    expect(bodies.size).toBe(2);
    for (const path of [
      `/tools?key=${key}`,
      `/tools?access_token=${key}`,
      "/tools",
      "/tools/echo",
      "/status",
      "/metrics",
      "/openapi.json",
      "/nothing",
    ]) {
      expect((await get(service(), path)).status).toBe(401);
    }
    const raw = await openSocket(service().port);
    raw.send("POST /tools/echo/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n{");
    await raw.until((text) => text.startsWith("HTTP/1.1 401"));
    raw.socket.destroy();
    expect((await call(service(), "echo", "{}", bearer)).code).toBe("ok");
    for (const path of ["/livez", "/readyz", "/healthz"]) expect((await get(service(), path)).status).toBe(200);
  });

  fault(
    "A2",
    "the time of a refusal tells nothing of how much of a key was right",
    async () => {
      const raw = await openSocket(service().port);
      const times: [number[], number[]] = [[], []];
      let count = 0;
      for (let round = 0; round < 500; round++) {
        for (const [index, candidate] of ["x".repeat(key.length), `${key.slice(0, -1)}x`].entries()) {
          const start = performance.now();
          raw.send(requestText("GET /tools", { headers: { authorization: `Bearer ${candidate}` } }));
          const seen = ++count;
          while (raw.text.split("HTTP/1.1 401").length - 1 < seen)
            await new Promise((resolve) => setImmediate(resolve));
          times[index]!.push(performance.now() - start);
        }
      }
      const [none, nearly] = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]!);
      expect(Math.abs(none! - nearly!)).toBeLessThan(Math.max(none!, nearly!) * 0.5);
      raw.socket.destroy();
    },
    30_000,
  );
});

interface Token {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly expiresIn?: string | null;
  readonly audience?: string;
  readonly issuer?: string;
  readonly by?: KeyObject;
}

describe("with a JWT set-up", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let keys: Server;
  let service: Service;
  let fetched = 0;

  beforeAll(async () => {
    const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" };
    keys = createServer((_incoming, outgoing) => {
      fetched++;
      setTimeout(
        () => outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [jwk] })),
        100,
      );
    });
    await new Promise<void>((resolve) => keys.listen(0, "127.0.0.1", resolve));
    const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks`;
    service = await spawnService({
      config: {
        auth: { jwt: { issuer: "https://issuer.example", audience: "toolhost", jwksUrl, toolsClaim: "tools" } },
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    keys?.closeAllConnections();
    keys?.close();
  });

  const sign = ({
    claims = { tools: ["echo"] },
    header,
    expiresIn = "1h",
    audience = "toolhost",
    issuer = "https://issuer.example",
    by = privateKey,
  }: Token = {}): Promise<string> => {
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "one", ...header })
      .setAudience(audience)
      .setIssuer(issuer)
      .setSubject("s");
    if (expiresIn !== null) token.setExpirationTime(expiresIn);
    return token.sign(by);
  };
  const codeOf = async (token: string, tool = "echo"): Promise<string> =>
    (await call(service, tool, "{}", { authorization: `Bearer ${token}` })).code;

  fault(
    "O4",
    "a thousand first calls at once fetch the issuer's keys once",
    async () => {
      const token = await sign();
      const codes = await Promise.all(Array.from({ length: 1000 }, () => codeOf(token)));
      expect(new Set(codes)).toEqual(new Set(["ok"]));
      expect(fetched).toBe(1);
    },
    30_000,
  );

  fault("A3", "a token opens only what its issuer signed for us, by the algorithm that is fixed", async () => {
    expect(await codeOf(await sign())).toBe("ok");
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const good = {
      iss: "https://issuer.example",
      aud: "toolhost",
      sub: "s",
      tools: ["echo"],
      exp: Math.floor(Date.now() / 1000) + 3600,
    };
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const confused = await new SignJWT(good).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(Buffer.from(pem));
    const tokens = {
      "alg none": `${part({ alg: "none" })}.${part(good)}.`,
      "HS256 with the public key": confused,
      "another key": await sign({ by: stranger.privateKey }),
      "a key of its own": await sign({ by: stranger.privateKey, header: { jwk: await exportJWK(stranger.publicKey) } }),
      "a jku of its own": await sign({ by: stranger.privateKey, header: { jku: "http://127.0.0.1/keys" } }),
      "another algorithm": await sign({ header: { alg: "RS512" } }),
      "another audience": await sign({ audience: "other" }),
      "another issuer": await sign({ issuer: "https://other.example" }),
      "no exp": await sign({ expiresIn: null }),
      "exp that has passed": await sign({ expiresIn: "-1h" }),
      "exp as text": await sign({
        expiresIn: null,
        claims: { tools: ["echo"], exp: "9999999999" as unknown as number },
      }).catch(() => "x.y.z"),
      "a changed body": (await sign()).replace(/\.[^.]+\./, `.${part({ ...good, tools: ["*"] })}.`),
      "no token at all": "x.y.z",
    };
    for (const [what, token] of Object.entries(tokens)) {
      expect({ what, code: await codeOf(token) }).toEqual({ what, code: "unauthorized" });
    }
    expect(await codeOf(await sign(), "hold")).toBe("unknown_tool");
    expect(await codeOf(await sign({ claims: {} }))).not.toBe("ok");
    expect(await codeOf(await sign({ claims: { tools: "echo typed" } }), "typed")).toBe("ok");
  });
});

describe("with keys that open a part", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const [narrow, reading] = ["key-that-opens-echo-only", "key-that-only-reads"];
  let upstream: Server;
  let service: Service;
  let heard = "";
  beforeAll(async () => {
    upstream = createServer((incoming, outgoing) => {
      heard += JSON.stringify(incoming.rawHeaders);
      outgoing.end("done");
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    service = await spawnService({
      config: {
        auth: {
          keys: [
            { name: "narrow", sha256: sha256(narrow), tools: ["ech*", "reach"] },
            { name: "reading", sha256: sha256(reading), readOnly: true },
          ],
        },
        egress: { allow: [`127.0.0.1:${(upstream.address() as AddressInfo).port}`] },
        origins: ["https://app.example"],
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    upstream?.closeAllConnections();
    upstream?.close();
  });
  const as = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

  fault("A4", "what a caller may not use does not exist for it, by any door", async () => {
    for (const [token, other] of [
      [narrow, "typed"],
      [reading, "typed"],
    ] as const) {
      expect((await call(service, "echo", "{}", as(token))).code).toBe("ok");
      const refused = await call(service, other, "{}", as(token));
      const unknown = await call(service, "no_such_tool", "{}", as(token));
      expect([refused.status, refused.code]).toEqual([404, "unknown_tool"]);
      expect(refused.body.error?.message.includes(other)).toBe(false);
      expect(unknown.status).toBe(404);
      expect((await call(service, other, "{}", { ...as(token), accept: "text/event-stream" })).code).toBe(
        "unknown_tool",
      );
      const batch = await ask(
        service,
        requestText("POST /calls", {
          headers: as(token),
          body: JSON.stringify({ calls: [{ name: other }, { name: "echo" }] }),
        }),
      );
      expect(batch.body).toMatchObject({ results: [{ error: { code: "unknown_tool" } }, { status: "ok" }] });
      expect((await get(service, `/tools/${other}`, as(token))).status).toBe(404);
      for (const path of ["/tools", "/tools?q=types", "/openapi.json"]) {
        expect(await (await get(service, path, as(token))).text()).not.toContain(`"${other}"`);
      }
    }
  });

  fault(
    "A6",
    "neither a foreign Host nor a foreign page gets in, and only an allowed page is told it may",
    async () => {
      const open = as(narrow);
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil@localhost"]) {
        const answer = await call(service, "echo", "{}", { ...open, host });
        expect({ host, status: [400, 403].includes(answer.status) }).toEqual({ host, status: true });
      }
      for (const origin of [
        "https://evil.example",
        "null",
        "https://app.example.evil",
        "http://app.example",
        "https://app.example:444",
        "file://",
      ]) {
        const answer = await call(service, "echo", "{}", { ...open, origin });
        expect({ origin, status: answer.status, code: answer.code }).toEqual({
          origin,
          status: 403,
          code: "forbidden",
        });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
      expect((await call(service, "echo", "{}", { ...open, "content-type": "text/plain" })).status).toBe(415);
      const allowed = await call(service, "echo", "{}", { ...open, origin: "https://app.example" });
      expect([allowed.code, allowed.headers["access-control-allow-origin"]]).toEqual(["ok", "https://app.example"]);
      expect(allowed.headers).not.toHaveProperty("access-control-allow-credentials");
      const preflight = (origin: string): ReturnType<typeof exchangeText> =>
        exchangeText(
          service.port,
          requestText("OPTIONS /tools/echo/invoke", {
            headers: {
              origin,
              "access-control-request-method": "POST",
              "access-control-request-headers": "authorization",
            },
          }),
        );
      expect((await preflight("https://app.example")).headers["access-control-allow-origin"]).toBe(
        "https://app.example",
      );
      expect((await preflight("https://evil.example")).headers).not.toHaveProperty("access-control-allow-origin");
      expect((await get(service, "/tools", open)).headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  fault("A7", "a caller's token goes to no upstream, and the log says who called", async () => {
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    const answer = await call(
      service,
      "reach",
      { url },
      { ...as(narrow), cookie: "canary-cookie=1", "toolhost-session": "canary-session" },
    );
    expect(answer.code).toBe("ok");
    expect(heard).not.toBe("");
    expect(heard).not.toMatch(/canary|key-that/);
    await expect
      .poll(() =>
        service.entries.some(
          ({ tool, caller }) => tool === "reach" && typeof caller === "string" && caller !== "anonymous",
        ),
      )
      .toBe(true);
    expect(service.log).not.toContain(narrow);
  });
});
