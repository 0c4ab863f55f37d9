import type { SourceSettings } from "../../src/sources/source-kinds.ts";
import type { SourceSuite } from "./describe-source.ts";
import { folderHarness } from "./harnesses/folder.ts";
import { mcpHarness } from "./harnesses/mcp.ts";
import { fileHarness, urlHarness } from "./harnesses/openapi.ts";
import { plainHarness, serverHarness } from "./harnesses/scripted.ts";

/** Every kind of the table. */
export const kinds: Readonly<Record<keyof SourceSettings, readonly SourceSuite[]>> = {
  folder: [{ title: "a folder", isMadeOf: "files", canHang: true, makeHarness: folderHarness }],
  openapi: [
    { title: "a document in a file", isMadeOf: "files", canHang: false, makeHarness: fileHarness },
    { title: "a document behind a URL", isMadeOf: "answers", canHang: true, makeHarness: urlHarness },
  ],
  mcp: [{ title: "an MCP server", isMadeOf: "a connection", canHang: true, makeHarness: mcpHarness }],
};

export const scripted: readonly SourceSuite[] = [
  { title: "a scripted server", isMadeOf: "a connection", canHang: true, makeHarness: serverHarness },
  { title: "a source that is read at once", isMadeOf: "answers", canHang: false, makeHarness: plainHarness },
];
