import { onTestFinished } from "vitest";
import { listen } from "../../src/service/listen.ts";
import { createTools } from "../../src/service/tools.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { createApp } from "../../src/http/app.ts";
import { createServer } from "../../src/http/node/server.ts";
import { temporaryFolder } from "./toolhost.ts";

/**
 * Serves tools in this process, at any free port, until the test is finished. For commands with `--url`: what `serve`
 * itself does is not part of it.
 */
export async function servedTools(args: readonly string[] = [], env: Record<string, string> = {}): Promise<string> {
  const config = await readConfig(args, { ...env, PORT: "0" }, temporaryFolder());
  const tools = createTools({ env });
  await tools.load(config);
  const app = createApp({
    registry: tools.registry,
    sources: tools.status,
    ...(config.apiKeys.length > 0 && { apiKeys: config.apiKeys }),
  });
  const server = createServer({ app });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server, config);
}
