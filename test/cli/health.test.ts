import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { servedTools } from "./served-tools.ts";
import { toolhost } from "./toolhost.ts";

test("health is 0 if the service of the same configuration is ready, with keys or without", async () => {
  const env = { TOOLHOST_API_KEYS: "k" };
  const { port } = new URL(await servedTools([], env));
  expect(await toolhost(["health"], { env: { ...env, PORT: port } })).toEqual({
    code: 0,
    stdout: "ready\n",
    stderr: "",
  });
  expect(await toolhost(["health", "--port", port])).toMatchObject({ code: 0 });
});

test("health is 1 if nothing listens", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await toolhost(["health", "--port", String(port)])).toMatchObject({
    code: 1,
    stdout: "not ready: it does not answer (ECONNREFUSED)\n",
  });
});

test("health cannot guess a port", async () => {
  expect(await toolhost(["health"], { env: { PORT: "0" } })).toMatchObject({ code: 2 });
});
