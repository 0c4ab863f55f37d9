import type { McpServersFile } from "../../../src/config/config-file.ts";
import type { Shape } from "../shape.ts";

export const shape = { mcpServers: "string" } as const satisfies Shape<McpServersFile>;
