import { readFileSync } from "node:fs";

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const ajv = new Ajv2020({ strict: true, allErrors: true });

/** What stands beside a bundled tool's `tool.ts`, its schemas compiled by plain ajv. */
export function readFolder(name: string): {
  parameters: ValidateFunction;
  response: ValidateFunction;
  examples: readonly { arguments: unknown; result: unknown }[];
} {
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(`../../tools/${name}/${file}`, import.meta.url), "utf8"));
  return {
    parameters: ajv.compile(read("parameters.json")),
    response: ajv.compile(read("response.json")),
    examples: read("examples.json"),
  };
}
