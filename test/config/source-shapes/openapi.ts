import type { OpenApiSetting } from "../../../src/sources/openapi/setting.ts";
import type { Shape } from "../shape.ts";

export const shape = {
  openapi: "string",
  "name?": "string",
  "baseUrl?": "string",
  "serverVariables?": { "*": "string" },
  "include?": ["string"],
  "exclude?": ["string"],
  "response?": { warn: "word", enforce: "word", off: "word" },
  "headers?": { "*": "string" },
  "forward?": ["string"],
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
} as const satisfies Shape<Omit<OpenApiSetting, "writtenAs">>;
