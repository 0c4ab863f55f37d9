import type { WorkersEntry } from "../../../src/config/config-file.ts";
import type { Shape } from "../shape.ts";

export const shape = {
  workers: {
    "tokens?": [{ name: "string", sha256: "string", "tools?": ["string"] }],
    "token?": "string",
  },
  "trustAnnotations?": "boolean",
} as const satisfies Shape<WorkersEntry>;
