import { describe, expect, it } from "vitest";

import type { Tool } from "../../src/tool/tool.ts";
import { readFolder, toolFolders } from "./folder-schemas.ts";

const tools = await Promise.all(
  toolFolders.map(async (folder): Promise<Tool> => {
    const module = (await import(`../../tools/${folder}/tool.ts`)) as { tool: Tool };
    return module.tool;
  }),
);

it("a tool is called what its folder is called", () => {
  expect(tools.map(({ name }) => name)).toEqual(toolFolders);
});

describe.each(tools)("the folder of $name", (tool) => {
  const { parameters, response, examples } = readFolder(tool.name);

  it("has examples", () => {
    expect(examples.length).toBeGreaterThan(0);
  });

  it.each(examples)("has an example whose arguments and result fit: $arguments", (example) => {
    parameters(example.arguments);
    expect(parameters.errors).toBeNull();
    response(example.result);
    expect(response.errors).toBeNull();
  });

  it("refuses an argument that the schema does not name", () => {
    expect(parameters({ ...(examples[0]?.arguments as object), surplus: 1 })).toBe(false);
  });

  it("says that the tool changes nothing", () => {
    expect(tool.annotations?.readOnly).toBe(true);
  });
});
