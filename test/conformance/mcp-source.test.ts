import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createMcpSource } from "../../src/sources/mcp/source.ts";
import type { Source, SourceReading } from "../../src/core/source.ts";
import { changeTool } from "../../src/tool/prepared-tool.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { describeSource } from "./describe-source.ts";
import type { SourceHarness } from "./source-harness.ts";

const server = fileURLToPath(new URL("../sources/mcp/harness-server.mjs", import.meta.url));

describeSource("an MCP server", { isMadeOf: "a connection", makeHarness: mcpHarness });

/** The server reads what it is to do from a file. */
function mcpHarness(): SourceHarness {
  const dir = mkdtempSync(join(tmpdir(), "toolhost-mcp-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "state.json");
  const state = { names: [] as readonly string[], bad: [] as readonly string[], mode: "answers", notices: 0, drops: 0 };
  const set = (changes: Partial<typeof state>): void => {
    Object.assign(state, changes);
    // In one step: the server must not read half a file.
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
  };
  set({});
  return {
    offer: (names, bad = []) => set({ names, bad }),
    open(name = "tested") {
      const mcp = { command: process.execPath, args: [server, file] };
      return withoutPrefix(createMcpSource({ name, setting: { mcp }, fetch }), name);
    },
    fail: () => set({ mode: "fails" }),
    hang: () => set({ mode: "hangs" }),
    mend: () => set({ mode: "answers" }),
    notify: () => set({ notices: state.notices + 1 }),
    drop: () => set({ drops: state.drops + 1 }),
  };
}

/** The suite expects tools by the names that the other side gives them. */
function withoutPrefix(source: Source, name: string): Source {
  const plainOf = (prefixed: string): string => prefixed.replace(`${name}_`, "");
  const renamed = new WeakMap<Tool, Tool>();
  const readings = new WeakMap<SourceReading, SourceReading>();
  const rename = (tool: Tool): Tool => {
    const known = renamed.get(tool) ?? changeTool(tool, { name: plainOf(tool.name) });
    renamed.set(tool, known);
    return known;
  };
  return {
    ...source,
    async read(signal) {
      const reading = await source.read(signal);
      const { tools, skipped } = reading;
      const plain = readings.get(reading) ?? {
        ...reading,
        tools: tools.map(rename),
        skipped: skipped.map((each) => ({ ...each, name: plainOf(each.name) })),
      };
      readings.set(reading, plain);
      return plain;
    },
  };
}
