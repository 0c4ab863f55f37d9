import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { service, temporaryFolder, toolhost } from "./toolhost.ts";

test("health is 0 where the service of the same configuration is ready, keys or not", async () => {
  const env = { TOOLHOST_API_KEYS: "k", HOST: "0.0.0.0" };
  const { url } = await service([], { env });
  const asked = await toolhost(["health"], { env: { ...env, PORT: new URL(url).port } });
  expect(asked).toEqual({ code: 0, stdout: "ready\n", stderr: "" });
});

test("health asks over the Unix socket", async () => {
  const env = { UNIX_SOCKET: join(temporaryFolder(), "s.sock") };
  const running = await service([], { env });
  expect(await toolhost(["health"], { env })).toMatchObject({ code: 0 });
  await running.stop();
  expect(await toolhost(["health"], { env })).toMatchObject({
    code: 1,
    stdout: "not ready: it does not answer (ENOENT)\n",
  });
});

test("health is 1 where the service drains, and while calls are still served", async () => {
  const running = await service([], { env: { SHUTDOWN_DELAY_MS: "3000" } });
  const env = { PORT: new URL(running.url).port };
  void running.stop();
  await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(503);
  expect(await toolhost(["health"], { env })).toMatchObject({ code: 1, stdout: "not ready: it answered 503\n" });
});

test("health is 1 if the service accepts a connection and does not answer", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  expect(await toolhost(["health", "--port", String((silent.address() as AddressInfo).port)])).toEqual({
    code: 1,
    stdout: "not ready: it does not answer (ABORT_ERR)\n",
    stderr: "",
  });
});
