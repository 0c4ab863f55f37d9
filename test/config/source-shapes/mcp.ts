import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import type { Shape } from "../shape.ts";

export const shape = {
  mcp: {
    "command?": "string",
    "args?": ["string"],
    "env?": { "*": "string" },
    "cwd?": "string",
    "url?": "string",
    "transport?": { http: "word", sse: "word" },
  },
  "name?": "string",
  "trustAnnotations?": "boolean",
  "include?": ["string"],
  "exclude?": ["string"],
  "response?": { warn: "word", enforce: "word", off: "word" },
  "headers?": { "*": "string" },
  "timeoutMs?": "integer",
  "concurrency?": "integer",
  "callsPerMinute?": "integer",
  "auth?": {
    "bearer?": "string",
    "basic?": { username: "string", password: "string" },
    "apiKey?": { in: { header: "word", query: "word", cookie: "word" }, name: "string", value: "string" },
    "oauth2?": {
      tokenUrl: "string",
      clientId: "string",
      clientSecret: "string",
      "scopes?": ["string"],
      "audience?": "string",
      "clientAuth?": { basic: "word", post: "word" },
    },
  },
} as const satisfies Shape<McpSetting>;
