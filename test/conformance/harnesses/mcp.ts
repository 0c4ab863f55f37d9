import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { mcpKind } from "../../../src/sources/mcp/kind.ts";
import { network, type SourceHarness } from "../source-harness.ts";
import { withoutPrefix } from "./without-prefix.ts";

const opener = await mcpKind.load();

const server = fileURLToPath(new URL("../../sources/mcp/harness-server.mjs", import.meta.url));

/** The server reads what it is to do from a file. */
export function mcpHarness(): SourceHarness {
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
      return withoutPrefix(opener.open(name, { mcp }, network));
    },
    fail: () => set({ mode: "fails" }),
    hang: () => set({ mode: "hangs" }),
    mend: () => set({ mode: "answers" }),
    notify: () => set({ notices: state.notices + 1 }),
    drop: () => set({ drops: state.drops + 1 }),
  };
}
