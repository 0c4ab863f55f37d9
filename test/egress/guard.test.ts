import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { Worker } from "node:worker_threads";
import { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import { guardPeer } from "../../src/egress/connector.ts";
import { createOutboundFetch } from "../../src/egress/fetch.ts";
import { egressBlocked } from "../../src/egress/rules.ts";
import { createRegistry, invoke } from "../../src/index.ts";
import { failureOf, fetchFor, type LocalServer, startServer } from "./servers.ts";

/** Nothing may reach it. It listens on IPv4 and IPv6. */
const startTrap = () => startServer((_incoming, outgoing) => outgoing.end("trapped"), "::");

const spellings = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0x7f.1:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::]:${port}/`,
  `http://１２７.０.０.１:${port}/`,
  `http://①②⑦.⓪.⓪.①:${port}/`,
  `http://127.0.0.1.:${port}/`,
  `http://localhost:${port}/`,
  `http://LOCALHOST.:${port}/`,
];

const elsewhere = [
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://100.64.0.1/",
  "http://168.63.129.16/metadata",
  "http://10.0.0.1/",
  "https://192.168.0.1/",
];

/** `LOCALHOST.` leads nowhere on some systems, which is as good. */
const refused = (failure: Record<string, unknown>) =>
  failure["code"] === "egress_blocked" || (failure["name"] === "UpstreamError" && failure["ran"] === "no");

describe("an address that is not public", () => {
  it("is not reached in any spelling", async () => {
    const trap = await startTrap();
    const fetch = createOutboundFetch();
    for (const url of spellings(trap.port)) expect([url, refused(await failureOf(fetch(url)))]).toEqual([url, true]);
    for (const url of elsewhere) expect(await failureOf(fetch(url))).toMatchObject({ code: "egress_blocked" });
    expect(trap.connections).toBe(0);
    expect(await globalThis.fetch(`http://127.0.0.1:${trap.port}`).then((r) => r.text())).toBe("trapped");
  });

  it("is not reached by a redirect of an allowed server", async () => {
    const trap = await startTrap();
    const door = await startServer((incoming, outgoing) => {
      outgoing.writeHead(302, { location: toHeader(decodeURIComponent(incoming.url!.slice(1))) }).end();
    });
    const fetch = fetchFor([door]);
    for (const url of [...spellings(trap.port), ...elsewhere]) {
      const failure = await failureOf(fetch(`${door.url}/${encodeURIComponent(url)}`));
      expect([url, refused(failure)]).toEqual([url, true]);
    }
    expect(trap.connections).toBe(0);
  });

  it("is not reached by a name, whatever a resolver says the second time", async () => {
    const trap = await startTrap();
    const answers = [["192.0.2.1"], ["127.0.0.1"], ["::1"], ["127.0.0.1", "::1"], ["::ffff:127.0.0.1"]];
    let asked = 0;
    const fetch = createOutboundFetch({ lookup: resolver(() => answers[asked++]!) });
    for (const _answer of answers) {
      const failure = await failureOf(fetch(`http://rebinds.example:${trap.port}/`));
      expect(failure).toMatchObject({
        code: "egress_blocked",
        message: expect.stringContaining(`egress: { allow: ["rebinds.example:${trap.port}"] }`),
      });
      expect(failure["message"]).not.toMatch(/127\.0|::1|192\.0/);
    }
    expect(asked).toBe(answers.length);
    expect(trap.connections).toBe(0);
  });

  it("is not reached where a name has it beside an allowed one", async () => {
    const other = await startServer((_incoming, outgoing) => outgoing.end("other"), "127.0.0.2");
    const trap = await startServer((_incoming, outgoing) => outgoing.end("trapped"), "127.0.0.1", other.port);
    const lookup = resolver(() => ["127.0.0.1", "::1", "127.0.0.2"]);
    const fetch = createOutboundFetch({ lookup, allow: [`127.0.0.2:${other.port}`] });
    expect(await fetch(`http://mixed.example:${other.port}/`).then((r) => r.text())).toBe("other");
    expect(trap.connections).toBe(0);
  });

  it("is let go of where a connection ended up there nevertheless", async () => {
    const trap = await startTrap();
    const strayed = buildConnector({ lookup: resolver(() => ["127.0.0.1"]) });
    const connect = guardPeer(
      strayed,
      () => false,
      () => egressBlocked("strayed.example", 80),
    );
    const failure = await new Promise((resolve) =>
      connect({ hostname: "strayed.example", protocol: "http:", port: String(trap.port) }, (error, socket) =>
        resolve(error ?? socket),
      ),
    );
    expect(failure).toMatchObject({ code: "egress_blocked" });
  });
});

describe("what is allowed", () => {
  const reach = (server: LocalServer, allow: string[], url = server.url) =>
    createOutboundFetch({ allow, lookup: resolver(() => ["127.0.0.1"]) })(url).then((response) => response.text());

  it("by address, range, host, port or origin is reached", async () => {
    const server = await startServer((_incoming, outgoing) => outgoing.end("in"));
    const { port } = server;
    const named = `http://internal.example:${port}/`;
    expect(await reach(server, ["127.0.0.1"])).toBe("in");
    expect(await reach(server, [`127.0.0.1:${port}`])).toBe("in");
    expect(await reach(server, ["127.0.0.0/8"])).toBe("in");
    expect(await reach(server, ["127.0.0.0/8"], named)).toBe("in");
    expect(await reach(server, ["internal.example"], named)).toBe("in");
    expect(await reach(server, [`internal.example:${port}`], named)).toBe("in");
    expect(await fetchFor([server])(`${server.url}/path`).then((r) => r.text())).toBe("in");
    const others = [["10.0.0.0/8"], ["127.0.0.1:1"], ["internal.example:1"], ["other.example"]];
    for (const allow of others) {
      expect(await failureOf(reach(server, allow))).toMatchObject({ code: "egress_blocked" });
      expect(await failureOf(reach(server, allow, named))).toMatchObject({ code: "egress_blocked" });
    }
  });

  it("is named by the refusal, so that the operator can add the line", async () => {
    const fetch = createOutboundFetch();
    const messageOf = async (url: string) => (await failureOf(fetch(url)))["message"];
    expect(await messageOf("http://10.1.2.3:8080/a?b=secret")).toBe(
      'The address 10.1.2.3 is not allowed by the egress rules. The operator can allow it in toolhost.yaml with egress: { allow: ["10.1.2.3"] }.',
    );
    expect(await messageOf("http://[fd00::1]/")).toContain('egress: { allow: ["fd00::1"] }');
    expect(await messageOf("https://localhost/")).toContain('egress: { allow: ["localhost:443"] }');
  });
});

it.each([
  "file:///etc/passwd",
  "data:text/plain,hello",
  "blob:nodedata:1",
  "ftp://example.com/",
  "javascript:1",
  "about:blank",
])("%s does not go out", async (url) => {
  const failure = await failureOf(createOutboundFetch()(url));
  expect(failure).toMatchObject({ name: "CallError", code: "egress_blocked" });
  const door = await startServer((_incoming, outgoing) => void outgoing.writeHead(302, { location: url }).end());
  expect(await failureOf(fetchFor([door])(door.url))).toMatchObject({ code: "egress_blocked" });
});

it("a port of another protocol is not reached, unless it is allowed by name", async () => {
  const fetch = createOutboundFetch({ lookup: resolver(() => ["192.0.2.1"]) });
  expect(await failureOf(fetch("http://mail.example:25/"))).toMatchObject({
    code: "egress_blocked",
    message: expect.stringContaining('egress: { allow: ["mail.example:25"] }'),
  });
  expect((await failureOf(fetch("http://[2606:4700::1]:22/")))["message"]).toContain('allow: ["[2606:4700::1]:22"]');
  const allowed = createOutboundFetch({ allow: ["127.0.0.1:1"] });
  expect(await failureOf(allowed("http://127.0.0.1:1/"))).toMatchObject({ name: "UpstreamError", ran: "no" });
});

it("a tool cannot bring a dispatcher of its own", async () => {
  const trap = await startTrap();
  const dispatcher = { dispatch: () => true };
  const failure = await failureOf(
    createOutboundFetch()(`http://127.0.0.1:${trap.port}`, { dispatcher } as unknown as RequestInit),
  );
  expect(failure).toMatchObject({ code: "egress_blocked" });
});

it("a call whose tool tries a private address ends as egress_blocked, by default", async () => {
  const trap = await startTrap();
  const registry = createRegistry({
    tools: [
      {
        name: "go",
        description: "Goes out.",
        parameters: { type: "object" },
        execute: (_args, { fetch }) => fetch(`http://127.0.0.1:${trap.port}`),
      },
    ],
  });
  expect(await invoke(registry, { name: "go", arguments: {} })).toMatchObject({
    error: { code: "egress_blocked", action: "stop", retryable: false },
  });
  expect(trap.connections).toBe(0);
});

it("the options reach a worker thread as they are", async () => {
  const server = await startServer((_incoming, outgoing) => outgoing.end("in"));
  const trap = await startTrap();
  const code = `
    import { parentPort, workerData } from "node:worker_threads";
    const { createOutboundFetch } = await import(workerData.module);
    const fetch = createOutboundFetch(workerData.options);
    const text = await fetch(workerData.allowed).then((response) => response.text());
    const code = await fetch(workerData.trap).catch((error) => error.code);
    parentPort.postMessage({ text, code });
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: {
      module: new URL("../../dist/src/egress/fetch.js", import.meta.url).href,
      options: { allow: [`127.0.0.1:${server.port}`], origins: [], maxResponseBytes: 1000 },
      allowed: server.url,
      trap: `http://127.0.0.1:${trap.port}`,
    },
  });
  const answer = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  await worker.terminate();
  expect(answer).toEqual({ text: "in", code: "egress_blocked" });
});

/** UTF-8 as it goes over the wire. */
function toHeader(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A resolver that is no part of the system. */
function resolver(answer: () => readonly string[]): LookupFunction {
  return (_hostname, options, callback) => {
    const found: LookupAddress[] = answer().map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}
