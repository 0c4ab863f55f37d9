import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLifecycle } from "../../src/http/lifecycle.ts";
import { createServer } from "../../src/http/node/server.ts";
import type { AppOptions } from "../../src/http/app.ts";
import { jsonReply } from "../../src/http/http-reply.ts";
import type { Route } from "../../src/http/route.ts";
import type { Refusal } from "../../src/http/guard/refusal.ts";
import type { StartCall } from "../../src/core/call/start-call.ts";
import { CallError } from "../../src/errors/errors.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { drain } from "../../src/service/drain.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { appOf } from "./app-in-memory.ts";
import { relayDoor } from "./relay-door.ts";
import { createBoardDoor, workerToken } from "./board-door.ts";
import { listenWith } from "./listening-app.ts";
import { exchangeText, openSocket, requestText } from "./node/raw-socket.ts";

const key = "key-of-a-caller";
const origin = "https://app.example";
const authorization = { authorization: `Bearer ${key}` };
const asWorker = { authorization: `Bearer ${workerToken}` };

type Ask = (method: string, path: string, init?: Omit<RequestInit, "method">) => Promise<Response>;

/** The same app behind each transport that it may have. */
const transports: Readonly<Record<string, (options: Partial<AppOptions>) => Promise<Ask>>> = {
  "in memory": async (options) => {
    const { app } = appOf([{}], options);
    return async (method, path, init) => app.request(path, { ...init, method });
  },
  "mounted in another app": async (options) => {
    const parent = new Hono().route("/base", appOf([{}], options).app);
    return async (method, path, init) => parent.request(`/base${path}`, { ...init, method });
  },
  "over node:http": async (options) => {
    const { port } = await listenWith([{}], options);
    return (method, path, init) => fetch(`http://127.0.0.1:${port}${path}`, { ...init, method });
  },
};

const open = async (transport: keyof typeof transports, options: Partial<AppOptions> = {}) => {
  const door = createBoardDoor();
  const ask = await transports[transport]!({
    apiKeys: [key],
    doors: [() => door.routes],
    origins: [origin],
    ...options,
  });
  const authorized: Ask = (method, path, init = {}) =>
    ask(method, path, { ...init, headers: { ...authorization, ...(init.headers as Record<string, string>) } });
  return { door, ask, authorized };
};

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

describe.each(Object.keys(transports))("a door's routes, %s,", (transport) => {
  it("answer each of their methods, with the parameters of their paths", async () => {
    const { authorized } = await open(transport);
    const written = await authorized("POST", "/boards/a%20b", post("hello", { "board-author": "me" }));
    expect([written.status, await written.json()]).toEqual([201, { length: 1 }]);
    const read = await authorized("GET", "/boards/a%20b");
    expect(read.headers.get("board-length")).toBe("1");
    expect(await read.json()).toEqual({ board: "a b", messages: [{ author: "me", message: "hello" }] });
    const message = await authorized("GET", "/boards/a%20b/messages/0");
    expect(await message.json()).toEqual({ author: "me", message: "hello" });
    const none = await authorized("GET", "/boards/a%20b/messages/7");
    expect([none.status, await none.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    const head = await authorized("HEAD", "/boards/a%20b");
    expect([head.status, head.headers.get("board-length"), await head.text()]).toEqual([200, "1", ""]);
    expect((await authorized("DELETE", "/boards/a%20b")).status).toBe(204);
    expect((await authorized("GET", "/boards/a%20b")).headers.get("board-length")).toBe("0");
  });

  it("have 405 and OPTIONS with their own methods", async () => {
    const { ask, authorized } = await open(transport);
    for (const [path, allow] of [
      ["/boards/x", "GET, HEAD, POST, DELETE, OPTIONS"],
      ["/boards/next", "GET, HEAD, OPTIONS"],
      ["/boards/x/messages/1", "GET, HEAD, OPTIONS"],
      ["/rpc", "POST, OPTIONS"],
      ["/pages/a/b", "GET, HEAD, OPTIONS"],
    ] as const) {
      const refused = await authorized("PUT", path);
      expect([path, refused.headers.get("allow")]).toEqual([path, allow]);
      const options = await ask("OPTIONS", path);
      expect([options.status, options.headers.get("allow")]).toEqual([204, allow]);
    }
    expect((await authorized("PUT", "/boards/x")).status).toBe(405);
  });

  it("tell pages of allowed origins their headers", async () => {
    const { ask, authorized } = await open(transport);
    const { headers } = await ask("OPTIONS", "/boards/x", { headers: { origin } });
    expect(headers.get("access-control-allow-methods")).toContain("DELETE");
    expect(headers.get("access-control-allow-headers")?.split(", ")).toContain("board-author");
    for (const path of ["/boards/x", "/boards/x/messages/1", "/tools"]) {
      const answer = await authorized("GET", path, { headers: { origin } });
      expect(answer.headers.get("access-control-expose-headers")?.split(", ")).toContain("board-length");
    }
  });

  it("need a key, unless they are for anyone or have credentials of their own", async () => {
    const { ask, authorized } = await open(transport);
    for (const path of ["/boards/x", "/boards/next", "/ticks", "/board-secrets"]) {
      expect([path, (await ask("GET", path)).status]).toEqual([path, 401]);
    }
    expect(await (await ask("GET", "/pages/a")).json()).toEqual({ page: "a", caller: "anonymous" });
    const foreign = { headers: { origin: "https://evil.example" } };
    expect((await ask("GET", "/pages/a", foreign)).status).toBe(403);
    const registered = await ask("POST", "/workers", { headers: asWorker });
    expect([registered.status, await registered.json()]).toEqual([201, { worker: "worker" }]);
    expect((await authorized("POST", "/workers")).status).toBe(401);
    expect((await authorized("PUT", "/workers")).status).toBe(401);
    expect((await ask("PUT", "/workers", { headers: asWorker })).status).toBe(405);
    expect((await ask("GET", "/tools", { headers: asWorker })).status).toBe(401);
  });

  it("for operators do not exist for others", async () => {
    const { authorized, ask } = await open(transport, {
      auth: { keys: [{ name: "some", sha256: sha256OfSome, tools: ["*"] }] },
    });
    expect(await (await authorized("GET", "/board-secrets")).json()).toEqual({ secret: true });
    const some = { headers: { authorization: "Bearer some" } };
    for (const method of ["GET", "PUT"]) expect((await ask(method, "/board-secrets", some)).status).toBe(404);
  });

  it("with a prefix get what follows it, and no path that leads out of it", async () => {
    const { ask } = await open(transport);
    for (const [path, rest] of [
      ["/pages/", ""],
      ["/pages/a/b.js", "a/b.js"],
      ["/pages/caf%C3%A9/", "café/"],
    ] as const) {
      expect(await (await ask("GET", path)).json()).toMatchObject({ page: rest });
    }
    for (const path of ["/pages//etc/passwd", "/pages/..%2f..%2fetc", "/pages/a%2Fb", "/pages/a%5cb", "/pages/a%00"]) {
      const refused = await ask("GET", path, { headers: authorization });
      expect([path, refused.status]).toEqual([path, 404]);
    }
    expect((await ask("GET", "/pages", { headers: authorization })).status).toBe(404);
  });

  it("may write errors in their own protocol", async () => {
    const onRefused = vi.fn<(refusal: Refusal) => void>();
    const onFault = vi.fn();
    const { ask, authorized } = await open(transport, { onRefused, onFault });
    for (const answer of [
      await ask("POST", "/rpc"),
      await authorized("POST", "/rpc"),
      await authorized("PUT", "/rpc"),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_000 } });
    }
    expect(onFault).toHaveBeenCalledTimes(1);
    const refused = onRefused.mock.calls.map(([{ code, route }]) => [code, route]);
    expect(refused).toEqual([
      ["unauthorized", "/rpc"],
      ["internal", "/rpc"],
    ]);
  });

  it("that start calls are refused while the service ends", async () => {
    const lifecycle = { ...createLifecycle(), state: "ending" as const };
    const { ask, authorized } = await open(transport, { lifecycle });
    const refused = await ask("POST", "/workers", { headers: asWorker });
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "shutting_down" } }]);
    expect((await authorized("GET", "/boards/x")).status).toBe(200);
  });

  it("that answer with a stream leave none open after HEAD", async () => {
    const { door, authorized } = await open(transport);
    expect((await authorized("HEAD", "/ticks")).status).toBe(200);
    await vi.waitFor(() => expect(door.streams.open).toBe(0));
  });

  it("that are long polls are answered when there is something to tell, and count as no open request", async () => {
    const lifecycle = createLifecycle();
    const { door, authorized } = await open(transport, { lifecycle });
    const poll = authorized("GET", "/boards/next");
    await vi.waitFor(() => expect(door.polls).toHaveLength(1));
    expect(lifecycle.open).toBe(0);
    await authorized("POST", "/boards/x", post("news"));
    expect(await (await poll).json()).toEqual({ message: "news" });
    expect(lifecycle.open).toBe(0);
  });
});

describe.each(Object.keys(transports))("a door that runs tools, %s,", (transport) => {
  const relaying = (options: Partial<AppOptions> = {}) => open(transport, { doors: [relayDoor], ...options });

  it("starts calls by the way that all doors have", async () => {
    const startCall = vi.fn<StartCall>((_call, done) => done({ status: "ok", callId: "one", result: "relayed" }));
    const { authorized } = await relaying({ startCall });
    const answer = await authorized("POST", "/relay/tool", post({ a: 1 }));
    expect(await answer.json()).toMatchObject({ relayed: { status: "ok", result: "relayed" } });
    expect(startCall.mock.calls[0]![0]).toMatchObject({ name: "tool", arguments: { a: 1 } });
  });

  it("reads bodies within the limits of the service, and counts them with all others", async () => {
    const bytesInFlight = { bytes: 950 };
    const { authorized } = await relaying({ maxBodyBytes: 500, maxBytesInFlight: 1000, bytesInFlight });
    for (const [length, status, code] of [
      [10, 200, undefined],
      [100, 503, "overloaded"],
      [600, 413, "body_too_large"],
    ] as const) {
      const answer = await authorized("POST", "/relay/tool", post({ a: "x".repeat(length) }));
      expect(answer.status).toBe(status);
      const { error } = (await answer.json()) as { error?: { code: string } };
      expect(error?.code).toBe(code);
    }
    await vi.waitFor(() => expect(bytesInFlight.bytes).toBe(950));
  });

  it("has 405, OPTIONS and CORS as any route", async () => {
    const { ask, authorized } = await relaying();
    const refused = await authorized("GET", "/relay/tool");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const { headers } = await ask("OPTIONS", "/relay/tool", { headers: { origin } });
    expect(headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect(headers.get("access-control-allow-headers")?.split(", ")).toContain("relay-note");
    expect((await ask("POST", "/relay/tool", post({}))).status).toBe(401);
  });
});

describe("the end of the service", () => {
  /** Ends a service with the board door. Its limit is far longer than a test may take. @returns what it logged */
  const start = async () => {
    const door = createBoardDoor();
    const lifecycle = createLifecycle();
    const registry = createRegistry();
    const server = createServer(appOf([], { doors: [() => door.routes], lifecycle, registry }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const lines: string[] = [];
    const log = createLogger("warn", (line) => lines.push(line));
    const end = async () => {
      await drain(server, registry, lifecycle, { shutdownDelayMs: 0, shutdownTimeoutMs: 3_600_000 }, log);
      return lines;
    };
    return { door, port, end, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
  };

  it("does not wait for a long poll", async () => {
    const { door, end, get } = await start();
    const poll = get("/boards/next").then(
      () => "answered",
      () => "cut off",
    );
    await vi.waitFor(() => expect(door.polls).toHaveLength(1));
    expect(await end()).toEqual([]);
    expect(await poll).toBe("cut off");
  });

  it("lets a long poll answer that there is nothing", async () => {
    const { door, end, get } = await start();
    const poll = get("/boards/next-or-end");
    await vi.waitFor(() => expect(door.polls).toHaveLength(1));
    expect(await end()).toEqual([]);
    const answer = await poll;
    expect([answer.headers.get("connection"), await answer.json()]).toEqual(["close", { message: null }]);
  });

  it("does not wait for a stream that holds no drain", async () => {
    const { door, end, get } = await start();
    const reader = (await get("/feed")).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 1\n\n");
    expect(await end()).toEqual([]);
    await expect(reader.read()).rejects.toThrow("terminated");
    await vi.waitFor(() => expect(door.streams.open).toBe(0));
  });

  it("does not wait for a reader that has stopped reading such a stream", async () => {
    const { door, port, end } = await start();
    door.eventBytes = 16_777_216;
    const reader = await openSocket(port);
    reader.socket.pause();
    reader.send(requestText("GET /feed"));
    await vi.waitFor(() => expect(door.streams.open).toBe(1));
    expect(await end()).toEqual([]);
  });

  it("waits for a stream that holds it", async () => {
    const { door, end, get } = await start();
    const reader = (await get("/ticks")).body!.getReader();
    await reader.read();
    let isEnded = false;
    const ended = end().then(() => void (isEnded = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isEnded).toBe(false);
    await reader.cancel();
    await ended;
    expect(door.streams.open).toBe(0);
  });
});

describe.each(Object.keys(transports))("a reply that cannot be sent, %s,", (transport) => {
  const headers = { "a-header": "two\r\nlines: 1" };
  const broken: Readonly<Record<string, Pick<Route, "handle" | "errorReply">>> = {
    returned: { handle: () => jsonReply({}, headers) },
    promised: { handle: async () => jsonReply({}, headers) },
    later: {
      handle(_exchange, _caller, _parameters, responder) {
        setTimeout(() => responder.reply(jsonReply({}, headers)));
        return undefined;
      },
    },
    control: { handle: () => jsonReply({}, { "a-header": "\u0001" }) },
    wide: { handle: () => jsonReply({}, { "a-header": "\u20ac" }) },
    name: { handle: () => jsonReply({}, { "a header": "1" }) },
    status: { handle: () => jsonReply({}, {}, 20) },
    error: {
      errorReply: () => jsonReply({}, headers),
      handle() {
        throw new CallError("not_found", "Nothing.");
      },
    },
    fault: {
      errorReply() {
        throw new Error("a fault");
      },
      handle() {
        throw new CallError("not_found", "Nothing.");
      },
    },
  };

  it.each(Object.keys(broken))("is a fault, and is counted once: %s", async (kind) => {
    for (const holdsDrain of [true, false]) {
      const lifecycle = createLifecycle();
      const onFault = vi.fn();
      const route: Route = { method: "GET", path: "/broken", isFor: "anyone", holdsDrain, ...broken[kind]! };
      const ask = await transports[transport]!({ doors: [() => [route]], lifecycle, onFault });
      const answer = await ask("GET", "/broken");
      expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: "internal" } }]);
      expect(onFault).toHaveBeenCalledTimes(1);
      await vi.waitFor(() => expect(lifecycle.open).toBe(0));
    }
  });
});

describe.each(["in memory", "over node:http"])("a route that replies twice, %s,", (transport) => {
  it("is answered once, and counted once", async () => {
    const lifecycle = createLifecycle();
    const twice: Route = {
      method: "GET",
      path: "/twice",
      isFor: "anyone",
      handle(_exchange, _caller, _parameters, responder) {
        responder.reply(jsonReply({ reply: 1 }));
        responder.reply(jsonReply({ reply: 2 }));
        responder.fail(new Error("late"));
        return undefined;
      },
    };
    const faults: unknown[] = [];
    const onFault = (fault: unknown): void => void faults.push(fault);
    const ask = await transports[transport]!({ doors: [() => [twice]], lifecycle, onFault });
    expect(await (await ask("GET", "/twice")).json()).toEqual({ reply: 1 });
    expect(faults).toEqual([]);
    await vi.waitFor(() => expect(lifecycle.open).toBe(0));
  });
});

describe.each(Object.keys(transports))("405, %s,", (transport) => {
  it("names the longer path that takes the method, if there is one", async () => {
    const { authorized } = await open(transport);
    const messageOf = async (method: string, path: string) =>
      ((await (await authorized(method, path)).json()) as { error: { message: string } }).error.message;
    expect(await messageOf("POST", "/tools/x")).toMatch(/Did you mean POST (\/base)?\/tools\/x\/invoke\?$/);
    expect(await messageOf("DELETE", "/tools/x")).toBe("This path accepts GET, HEAD, OPTIONS.");
  });
});

it("what no path is for names the methods of all doors", async () => {
  const { port } = await listenWith([{}], { doors: [() => createBoardDoor().routes] });
  for (const line of ["OPTIONS *", "CONNECT example.com:80"]) {
    const answer = await exchangeText(port, requestText(line));
    expect(answer.headers["allow"]).toBe("GET, HEAD, POST, DELETE, OPTIONS");
  }
});

// Of the key "some".
const sha256OfSome = "a6b46dd0d1ae5e86cbc8f37e75ceeb6760230c1ca4ffbcb0c97b96dd7d9c464b";
