import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { RegistryOptions } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";
import type { AppOptions } from "../../src/http/app.ts";
import { createServer } from "../../src/http/node/server.ts";
import { appOf } from "./app-in-memory.ts";

/** An app on a real port until the test ends. */
export async function listenWith(
  tools: readonly Partial<Tool>[],
  options: Partial<AppOptions> = {},
  registryOptions: RegistryOptions = {},
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(appOf(tools, options, registryOptions));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { server, port: (server.address() as AddressInfo).port };
}
