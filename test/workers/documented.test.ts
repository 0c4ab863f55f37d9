import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { declarationOf, register } from "./scripted-worker.ts";
import { startWorkerService, token } from "./worker-service.ts";
import { exchangeText, requestText } from "../http/node/raw-socket.ts";
import { sha256 } from "../../src/access/keys.ts";
import { createLifecycle } from "../../src/http/lifecycle.ts";
import { createWorkersDoor } from "../../src/workers/door.ts";

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example: unknown }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith("/workers"))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, path, operation })),
  );

test("the documented operations of workers are the routes of their door", async () => {
  const { workers } = await startWorkerService();
  const routes = createWorkersDoor(workers)({} as Parameters<ReturnType<typeof createWorkersDoor>>[0]);
  const served = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(operations.map(({ title }) => title).toSorted()).toEqual(served.toSorted());
});

/** A fault of the service, and a request that comes too late, can happen to any operation and are not provoked here. */
const unprovoked = ["408", "500"];

function bodyOf(title: string): string {
  switch (title) {
    case "POST /workers":
      return JSON.stringify({ name: "other", tools: [] });
    case "POST /workers/{id}/calls":
      return '{"answers":[]}';
    case "POST /workers/{id}/calls/{callId}":
      return '{"progress":{"progress":1}}';
    default:
      return "";
  }
}

test.each(operations)(
  "$title answers with the documented statuses, and no others",
  async ({ title, path, operation }) => {
    const [method] = title.split(" ");
    const service = await startWorkerService({ app: { maxReplyBytes: 5000 } });
    const ending = await startWorkerService({ app: { lifecycle: { ...createLifecycle(), state: "ending" } } });
    const worker = await register(service, [declarationOf("charge")]);
    void service.call("charge");
    const { callId } = await worker.next();
    const late = service.call("charge", {}, {}, "?timeoutMs=50");
    const { callId: lateCall } = await worker.next();
    await late;
    // Fills the memory for bodies of a service of its own, whose worker has another id.
    const full = await startWorkerService({ app: { maxBytesInFlight: 1 } });
    const { workerId } = await full.workers.register(sha256(token), { name: "billing", tools: [] });

    const answered = new Set(unprovoked);
    const send = async (
      query: string,
      {
        to = service,
        headers = {},
        body = bodyOf(title),
        id = worker.registered.workerId,
        call = callId,
        by = method,
      } = {},
    ): Promise<void> => {
      const line = `${by} ${path.replace("{id}", id).replace("{callId}", call)}${query}`;
      const sent = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
      const { status } = await exchangeText(Number(new URL(to.url).port), requestText(line, { headers: sent, body }));
      answered.add(String(status));
    };
    const isPoll = path.endsWith("/poll");
    const takesBody = bodyOf(title) !== "";
    for (const { name, example } of operation.parameters.filter((parameter) => parameter.in === "query")) {
      await send(name === "waitMs" ? `?waitMs=${String(example)}` : `?${name}=${String(example)}&waitMs=0`);
    }
    await send("?undocumented=1");
    await send("", { headers: { authorization: "Bearer nobody" } });
    await send("", { headers: { origin: "https://evil.example" } });
    await send("", { by: "PUT", body: "" });
    await send("", { headers: { "x-large": "x".repeat(17_000) } });
    if (path.includes("{id}")) await send("", { id: "unknown" });
    if (path.includes("{callId}")) await send("", { call: lateCall });
    if (takesBody) {
      await send("", { body: `"${"x".repeat(6000)}"` });
      await send("", { headers: { "content-type": "text/plain" } });
      await send("", { to: full, id: workerId });
    }
    if (path === "/workers") await send("", { to: ending });
    if (!isPoll) await send("");
    for (let count = 0; path === "/workers" && count < 300; count++) await send("");
    expect([...answered].toSorted()).toEqual(Object.keys(operation.responses).toSorted());
  },
);
