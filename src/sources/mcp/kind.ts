import { tokenUrlOf } from "../credentials/credentials.ts";
import type { SourceKind } from "../source-kind.ts";
import { nameOfServer } from "./server-name.ts";
import type { ListedMcpSetting } from "./setting.ts";

export const mcpKind: SourceKind<ListedMcpSetting> = {
  nameOf: ({ mcp }) => nameOfServer(mcp),
  idOf: ({ mcp: { url, command, args = [] } }) => JSON.stringify(url ?? [command, ...args]),
  async load() {
    const { createMcpSource } = await import("./source.ts");
    return {
      open: (name, setting, { fetch, onOutput }) =>
        createMcpSource({ name, setting, fetch, onOutput: (line) => onOutput(name, line) }),
    };
  },
  urlsOf: ({ mcp, auth }) => [mcp.url, tokenUrlOf(auth)],
};
