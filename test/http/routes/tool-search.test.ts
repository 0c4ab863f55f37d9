import { describe, expect, it } from "vitest";
import { createRegistry } from "../../../src/index.ts";
import { searchTools } from "../../../src/http/routes/tool-search.ts";
import { toolOf } from "../../core/one-tool.ts";

describe("a search over tools", () => {
  const tools = Array.from({ length: 1000 }, (_, i) =>
    toolOf({ name: `tool_${i}`, description: `Does the work number ${i} of ${"many various words ".repeat(10)}` }),
  );
  const listed = createRegistry({ tools: [...tools, toolOf({ name: "get_weather", description: "Weather" })] }).list();

  it("looks for the first words of a query that is too long, and takes no longer", () => {
    const query = `weather ${Array.from({ length: 3000 }, (_, i) => `w${i.toString(36)}`).join(" ")}`;
    const start = process.cpuUsage().user;
    const found = searchTools(listed, query);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(250); // 1 s before
    expect(found.map(({ tool }) => tool.name)).toEqual(["get_weather"]);
  });
});
