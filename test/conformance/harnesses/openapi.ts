import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openapiKind } from "../../../src/sources/openapi/kind.ts";
import { startServer } from "../../egress/servers.ts";
import { network, type SourceHarness } from "../source-harness.ts";
import { withoutPrefix } from "./without-prefix.ts";

const opener = await openapiKind.load();

/** A document in a file. Its reads cannot hang. */
export async function fileHarness(): Promise<SourceHarness> {
  const { url } = await startApi(() => undefined);
  const dir = mkdtempSync(join(tmpdir(), "toolhost-document-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "api.json");
  let document = documentOf([], []);
  const write = (text: string): void => {
    // In one step: nobody must read half a file.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  return {
    offer: (names, bad = []) => write((document = documentOf(names, bad))),
    open: (name = "tested") => openAt(name, file, url),
    fail: () => write("openapi: ["),
    mend: () => write(document),
  };
}

/** A document behind a URL. */
export async function urlHarness(): Promise<SourceHarness> {
  let document = documentOf([], []);
  let mode: "answers" | "fails" | "hangs" = "answers";
  const waiting: (() => void)[] = [];
  const { url } = await startApi((answer) => {
    if (mode === "hangs") waiting.push(() => answer(document));
    else answer(mode === "fails" ? undefined : document);
  });
  return {
    offer: (names, bad = []) => void (document = documentOf(names, bad)),
    open: (name = "tested") => openAt(name, `${url}/openapi.json`, url),
    fail: () => (mode = "fails"),
    hang: () => (mode = "hangs"),
    mend() {
      mode = "answers";
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

function openAt(name: string, openapi: string, baseUrl: string): ReturnType<SourceHarness["open"]> {
  return withoutPrefix(opener.open(name, { openapi, baseUrl }, network), (operation) =>
    operation.replace("TRACE /", ""),
  );
}

/** An API whose operations answer with their own names, after `ms` of the query. */
function startApi(sendDocument: (answer: (document: string | undefined) => void) => void) {
  return startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    response.setHeader("content-type", "application/json");
    if (pathname === "/openapi.json") {
      return sendDocument((document) => response.writeHead(document === undefined ? 503 : 200).end(document));
    }
    setTimeout(() => response.end(JSON.stringify(pathname.slice(1))), Number(searchParams.get("ms")));
  });
}

/** @param bad the paths of operations that cannot be tools */
function documentOf(names: readonly string[], bad: readonly string[]): string {
  const responses = { 200: { description: "", content: { "application/json": {} } } };
  const ms = { name: "ms", in: "query", schema: { type: "integer" } };
  const pathsOf = (all: readonly string[], method: string) =>
    all.map((name) => [`/${name}`, { [method]: { operationId: name, parameters: [ms], responses } }] as const);
  const paths = Object.fromEntries([...pathsOf(names, "get"), ...pathsOf(bad, "trace")]);
  return JSON.stringify({ openapi: "3.1.0", info: { title: "API", version: "1" }, paths });
}
