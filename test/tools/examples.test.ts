import { describe, expect, it } from "vitest";

import type { ToolSettings } from "../../src/core/tool.ts";
import { tool as getCurrentTime } from "../../tools/get_current_time/tool.ts";
import { tool as getWeather } from "../../tools/get_weather/tool.ts";
import { tool as showEffect } from "../../tools/show_effect/tool.ts";
import { tool as webSearch } from "../../tools/web_search/tool.ts";
import { readFolder } from "./folder-schemas.ts";

const tools: ToolSettings[] = [getCurrentTime, getWeather, showEffect, webSearch];

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
