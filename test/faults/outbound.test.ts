import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { fault } from "./fault.ts";
import { call, expectAlive, ownService, type Service, sharedService, spawnService } from "./service.ts";

/** A listener that nothing may reach, on every loopback address. */
const trap = createTcpServer((socket) => {
  reached++;
  if (socket.localAddress?.endsWith("127.0.0.1") === true) reachedFirst++;
  socket.on("error", () => undefined).destroy();
});
let reached = 0;
/** Of these, the ones that came to 127.0.0.1. */
let reachedFirst = 0;
let trapPort = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, "::", resolve));
  trapPort = (trap.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => trap.close(resolve)));

describe("where a tool may not go", () => {
  const service = sharedService();

  fault(
    "F1",
    "no spelling of an address that is not public gets through, and the error names the line to add",
    async () => {
      const hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::ffff:7f00:1]",
        "[::1]",
        "0.0.0.0",
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
        "\u2460\u2461\u2466.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "100.64.0.1",
        "168.63.129.16",
        "localhost",
        "[::]",
        "10.0.0.1",
        "192.168.1.1",
        "224.0.0.1",
      ];
      for (const host of hosts) {
        const answer = await call(service(), "reach", { url: `http://${host}:${trapPort}/` });
        expect({ host, code: answer.code }).toEqual({ host, code: "egress_blocked" });
        expect(answer.body.error).toMatchObject({ retryable: false, message: expect.stringContaining("egress") });
      }
      // Whether this resolves is the system's to say.
      expect((await call(service(), "reach", { url: `http://LOCALHOST.:${trapPort}/` })).code).not.toBe("ok");
      for (const url of [`https://127.0.0.1:${trapPort}/`, `http://user:pw@127.0.0.1:${trapPort}/`]) {
        expect((await call(service(), "reach", { url })).code).not.toBe("ok");
      }
      for (const url of ["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,x", "blob:x"]) {
        expect((await call(service(), "reach", { url })).code).not.toBe("upstream_failed");
      }
      expect(reached).toBe(0);
      await expectAlive(service());
    },
  );

  fault("F2", "a name that turns to another address between the check and the connection reaches nothing", async () => {
    // The service's own resolver answers with 127.0.0.2, which is allowed, and with 127.0.0.1 every second time.
    const resolver = `
      import dns from "node:dns";
      import { syncBuiltinESMExports } from "node:module";
      let times = 0;
      const { lookup } = dns;
      dns.lookup = (name, options, callback) => {
        if (!name.endsWith(".example")) return lookup(name, options, callback);
        const done = callback ?? options;
        const address = times++ % 2 === 0 ? "127.0.0.2" : "127.0.0.1";
        process.nextTick(() => (options?.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)));
      };
      syncBuiltinESMExports();`;
    const own = await ownService({
      config: { egress: { allow: ["127.0.0.2/32"] } },
      node: ["--import", `data:text/javascript,${encodeURIComponent(resolver)}`],
    });
    const codes = new Set<string>();
    for (let round = 0; round < 6; round++) {
      codes.add((await call(own, "reach", { url: `http://rebinding.example:${trapPort}/` })).code);
    }
    // On 127.0.0.2 the trap listens too: what counts is that the calls were refused or went there, never to 127.0.0.1.
    expect(codes).toEqual(new Set(["egress_blocked", "upstream_failed"]));
    expect(reachedFirst).toBe(0);
  });
});

/** An upstream whose answers a test chooses by path. */
const upstream: Server = createServer((incoming, outgoing) =>
  (answers[incoming.url ?? ""] ?? notFound)(incoming, outgoing),
);
const answers: Record<string, (incoming: IncomingMessage, outgoing: ServerResponse) => void> = {};
const notFound = (_incoming: IncomingMessage, outgoing: ServerResponse): void => void outgoing.writeHead(404).end();
let upstreamPort = 0;

describe("what an upstream answers", () => {
  let allowed: Service;
  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    upstreamPort = (upstream.address() as AddressInfo).port;
    allowed = await spawnService({
      config: { egress: { allow: [`127.0.0.1:${upstreamPort}`, `localhost:${upstreamPort}`] } },
    });
  });
  afterAll(async () => {
    upstream.closeAllConnections();
    await allowed?.stop();
    await new Promise((resolve) => upstream.close(resolve));
  });
  const reach = (path: string, args: object = {}): ReturnType<typeof call> =>
    call(allowed, "reach", { url: `http://127.0.0.1:${upstreamPort}${path}`, ...args });

  fault(
    "F3",
    "a redirect is followed three times at most, checked each time, and sees no credentials of another origin",
    async () => {
      const redirect = (location: string) => (_incoming: IncomingMessage, outgoing: ServerResponse) =>
        void outgoing.writeHead(302, { location }).end();
      for (const location of [
        `http://[::1]:${trapPort}/`,
        `http://127.0.0.1:${trapPort}/`,
        "http://169.254.169.254/latest",
      ]) {
        answers["/away"] = redirect(location);
        expect({ location, code: (await reach("/away")).code }).toEqual({ location, code: "egress_blocked" });
      }
      answers["/away"] = redirect("file:///etc/passwd");
      expect(["upstream_failed", "egress_blocked"]).toContain((await reach("/away")).code);
      expect(reachedFirst).toBe(0);

      for (let hop = 0; hop < 20; hop++) answers[`/hop${hop}`] = redirect(`/hop${hop + 1}`);
      answers["/hop20"] = (_incoming, outgoing) => void outgoing.end("done");
      expect((await reach("/hop17")).code).toBe("ok");
      expect((await reach("/hop16")).code).toBe("upstream_failed");

      let seen: string | undefined = "not asked";
      answers["/elsewhere"] = (incoming, outgoing) => {
        seen = incoming.headers.authorization;
        outgoing.end("done");
      };
      answers["/other-origin"] = redirect(`http://localhost:${upstreamPort}/elsewhere`);
      expect((await reach("/other-origin", { headers: { authorization: "Bearer upstream" } })).code).toBe("ok");
      expect(seen).toBeUndefined();
    },
  );

  fault("F4", "is bounded in size and time, and whatever is wrong with it is the upstream's failure", async () => {
    const chunk = Buffer.alloc(65_536, "x");
    const endless = (_incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const more = (): void => {
        while (!outgoing.destroyed && outgoing.write(chunk));
        if (!outgoing.destroyed) outgoing.once("drain", more);
      };
      more();
    };
    answers["/endless"] = endless;
    const bomb = gzipSync(Buffer.alloc(100_000_000, "x"), { level: 9 });
    answers["/bomb"] = (_incoming, outgoing) => void outgoing.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    answers["/headers"] = (_incoming, outgoing) => void outgoing.writeHead(200, { x: "y".repeat(1_000_000) }).end();
    answers["/short"] = (incoming, outgoing) => {
      outgoing.writeHead(200, { "content-length": "100" }).write("short");
      setTimeout(() => incoming.socket.destroy(), 20);
    };
    answers["/none"] = (incoming) => void incoming.socket.destroy();
    answers["/garbage"] = (incoming) => void incoming.socket.end("this is no HTTP\r\n\r\n");
    for (const path of ["/endless", "/bomb", "/headers", "/short", "/none", "/garbage"]) {
      expect({ path, code: (await reach(path)).code }).toEqual({ path, code: "upstream_failed" });
    }
    answers["/drip"] = (_incoming, outgoing) => {
      const timer = setInterval(() => outgoing.write("x"), 200);
      outgoing.on("close", () => clearInterval(timer));
    };
    expect(["timeout", "upstream_failed"]).toContain((await reach("/drip")).code);
    answers["/text"] = (_incoming, outgoing) =>
      void outgoing.writeHead(200, { "content-type": "application/json" }).end("{");
    expect(["tool_failed", "upstream_failed"]).toContain((await reach("/text", { json: true })).code);
    await expectAlive(allowed);
  });
});
