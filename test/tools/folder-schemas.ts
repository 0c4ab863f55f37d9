import { readdirSync, readFileSync } from "node:fs";

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const ajv = new Ajv2020({ strict: true, allErrors: true });

/** The names of the bundled tools' folders. */
export const toolFolders: readonly string[] = readdirSync(new URL("../../tools/", import.meta.url), {
  withFileTypes: true,
})
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

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
