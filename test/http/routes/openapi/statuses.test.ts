import { createHash } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes } from "../../../../src/errors/errors.ts";
import { createRegistry } from "../../../../src/core/registry/registry.ts";
import { type AppOptions, createApp } from "../../../../src/http/app.ts";
import { createLifecycle } from "../../../../src/http/lifecycle.ts";
import { createServer } from "../../../../src/http/node/server.ts";
import { toolOf } from "../../../core/one-tool.ts";
import { exchangeText, requestText } from "../../node/raw-socket.ts";

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> };
}
interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const key = "a-key-of-the-service";
const keys = [
  { name: "often", sha256: sha256(key) },
  { name: "once", sha256: sha256("once"), callsPerMinute: 1 },
];
/** Each route of the service, and the operation of its one tool. */
const titles = createApp({ registry: createRegistry(), metrics: () => "" })
  .answering.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
  .concat("POST /tools/get_weather/invoke");
const registryOf = () => createRegistry({ env: {}, tools: [toolOf({ name: "get_weather" })] });
const overloaded = registryOf();
overloaded.load.calls = overloaded.limits.callsInFlight + 1;

/** The service in each state in which an operation may answer otherwise. */
const services: Readonly<Record<string, () => Partial<AppOptions>>> = {
  open: () => ({ metrics: () => "" }),
  locked: () => ({ metrics: () => "", auth: { keys } }),
  ending: () => ({ metrics: () => "", lifecycle: { ...createLifecycle(), state: "ending" } }),
  overloaded: () => ({ metrics: () => "", registry: overloaded }),
  empty: () => ({ registry: createRegistry() }),
};
const servers = new Map<string, Server>();
let document: Document;

beforeAll(async () => {
  for (const [name, options] of Object.entries(services)) {
    const server = createServer({ app: createApp({ registry: registryOf(), ...options() }) });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.set(name, server);
  }
  document = JSON.parse((await exchangeText(portOf("open"), requestText("GET /openapi.json"))).body) as Document;
});
afterAll(() => {
  for (const server of servers.values()) {
    server.close();
    server.closeAllConnections();
  }
});

/** What is sent to every operation, whether it can be provoked by it or not. */
const provocations: readonly (readonly [service: string, sent: (isPost: boolean) => Sent])[] = [
  ["open", () => ({})],
  ["open", () => ({ headers: { "if-none-match": "*" } })],
  ["open", () => ({ path: "?undocumented=1" })],
  ["open", () => ({ headers: { "Content-Type": "application/json", "content-TYPE": "application/json" } })],
  ["open", () => ({ headers: { origin: "https://evil.example" } })],
  ["open", () => ({ method: "DELETE" })],
  ["open", () => ({ headers: { "content-length": "999999999", "content-type": "application/json" } })],
  ["open", (isPost) => (isPost ? { headers: { "content-type": "text/plain" }, body: "{}" } : {})],
  ["open", () => ({ headers: { "x-large": "x".repeat(17_000) } })],
  ["locked", () => ({})],
  ["locked", () => ({ headers: { authorization: "Bearer once" } })],
  ["locked", () => ({ headers: { authorization: "Bearer once" } })],
  ["ending", () => ({})],
  ["overloaded", () => ({})],
  ["empty", () => ({})],
];

/** A fault of the service, and a request that comes too late, can happen to any operation and are not provoked here. */
const unprovoked = ["408", "500"];

describe("the statuses of an operation are those that it answers, no more and no less", () => {
  test.each(titles)("%s", async (title) => {
    const [method = "", path = ""] = title.split(" ");
    const answered = new Set(unprovoked);
    for (const [service, sentTo] of provocations) {
      const sent = sentTo(method === "POST");
      const body =
        sent.body ?? (method === "POST" && sent.headers?.["content-length"] === undefined ? bodyOf(path) : "");
      const line = `${sent.method ?? method} ${path.replace("{name}", "get_weather")}${sent.path ?? ""}`;
      const answer = await exchangeText(portOf(service), requestText(line, { headers: sent.headers ?? {}, body }));
      answered.add(String(answer.status));
    }
    const { responses } = document.paths[path]![method.toLowerCase()]!;
    expect(Object.keys(responses).sort()).toEqual([...answered].sort());
  });

  test("and there is no other operation", () => {
    const documented = Object.entries(document.paths)
      // test/workers/documented.test.ts compares those of workers.
      .filter(([path]) => !path.startsWith("/workers"))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
    expect(documented.sort()).toEqual(titles.toSorted());
  });
});

describe("the shared responses", () => {
  /** The codes that the descriptions of responses name, by status. */
  const documentedCodes = (): Map<number, Set<string>> => {
    const codes = new Map<number, Set<string>>();
    for (const item of Object.values(document.paths)) {
      for (const { responses } of Object.values(item)) {
        for (const [status, { $ref }] of Object.entries(responses)) {
          const { description } = document.components.responses[$ref?.split("/").at(-1) ?? ""] ?? { description: "" };
          const named = [...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);
          const known = codes.get(Number(status)) ?? new Set<string>();
          codes.set(Number(status), new Set([...known, ...named.filter((code) => Object.hasOwn(errorCodes, code))]));
        }
      }
    }
    return codes;
  };

  test("name every code of the error table under the status that it is answered with", () => {
    const documented = documentedCodes();
    for (const [code, { status }] of Object.entries(errorCodes)) {
      if (status !== 200) expect([...(documented.get(status) ?? [])], `${status} ${code}`).toContain(code);
    }
  });

  test("name no code under another status, but for a declaration that cannot be given", () => {
    for (const [status, codes] of documentedCodes()) {
      const others = [...codes].filter((code) => errorCodes[code as keyof typeof errorCodes].status !== status);
      expect(others).toEqual(status === 404 ? ["unavailable"] : []);
    }
  });
});

function portOf(service: string): number {
  return (servers.get(service)!.address() as AddressInfo).port;
}

function bodyOf(path: string): string {
  return path === "/calls" ? '{"calls":[{"name":"get_weather"}]}' : "{}";
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
