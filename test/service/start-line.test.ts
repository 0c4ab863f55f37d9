import { expect, test } from "vitest";
import { startLine } from "../../src/service/start-line.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import type { SourceStatus } from "../../src/core/source.ts";
import { toolOf } from "../core/one-tool.ts";

const url = "http://127.0.0.1:8080";
const source: SourceStatus = {
  name: "a",
  kind: "folder",
  state: "ready",
  isRead: true,
  tools: 1,
  skipped: [],
  warnings: [],
};

test("a start in a terminal is one line: where, how many tools, and what is missing", () => {
  const registry = createRegistry({ env: {}, tools: [toolOf({ name: "a" }), toolOf({ name: "b" })] });
  expect(startLine("0.1.0", url, registry, [source])).toBe("Toolhost 0.1.0 on http://127.0.0.1:8080: 2 tools\n");
  registry.remove("b");
  registry.add(toolOf({ name: "web_search", requires: ["TAVILY_API_KEY"] }));
  const broken = { ...source, skipped: [{ name: "x", reason: "y" }] };
  expect(startLine("0.1.0", url, registry, [source, broken])).toBe(
    "Toolhost 0.1.0 on http://127.0.0.1:8080: 1 tool (web_search needs TAVILY_API_KEY, 1 skipped)\n",
  );
});

test("a source that is not ready is named, and is not a skipped tool", () => {
  const registry = createRegistry({ tools: [toolOf({ name: "a" })] });
  const away = {
    ...source,
    name: "shop",
    state: "failed",
    reason: "the server does not answer",
    isRead: false,
  } as const;
  const slow = { ...source, name: "crm", state: "connecting", isRead: false } as const;
  expect(startLine("0.1.0", url, registry, [source, away, slow])).toBe(
    "Toolhost 0.1.0 on http://127.0.0.1:8080: 1 tool (shop cannot be read: the server does not answer, crm is not connected yet)\n",
  );
});

test("a tool that is switched off says so", () => {
  const overrides = { a: { enabled: false } };
  const registry = createRegistry({ env: {}, overrides, tools: [toolOf({ name: "a" })] });
  expect(startLine("0.1.0", url, registry, [])).toMatch(/: 0 tools \(a cannot run: [^)]+\)\n$/);
});
