import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { constants, runInThisContext } from "node:vm";

/** Node's own import: that of vitest keeps modules by their file, without the query. What is built is what runs. */
const importByNode = runInThisContext("(url) => import(url)", {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}) as (url: string) => Promise<unknown>;

/** A module of `dist/src`. */
export async function importBuilt<T>(path: string): Promise<T> {
  return (await importByNode(pathToFileURL(join(import.meta.dirname, "../../../dist/src", path)).href)) as T;
}

/** A folder of tools that a test writes, and a registry that loads it. */
export interface ToolsFolder {
  readonly path: string;
  /** Writes files by their paths in the folder. */
  write(files: Readonly<Record<string, string>>): void;
  remove(path: string): void;
  /** Loads all tools, for the first time or again. */
  load(): Promise<void>;
  /** Whether a watched file is not as it was when it was read. */
  isChanged(): boolean;
  /** The result of a tool, or the code of its error. */
  call(name: string): Promise<unknown>;
  names(): string[];
  reasons(): Record<string, string>;
  warnings(): string[];
  moduleOf(name: string): string | undefined;
}

export async function toolsFolder(files: Readonly<Record<string, string>> = {}): Promise<ToolsFolder> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "toolhost-tools-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const { createTools } = await importBuilt<typeof import("../../../src/service/tools.ts")>("service/tools.js");
  const { readToolConfig } =
    await importBuilt<typeof import("../../../src/config/read-tools.ts")>("config/read-tools.js");
  const { invoke } = await importBuilt<typeof import("../../../src/core/call/invoke.ts")>("core/call/invoke.js");
  const { takeSnapshot } =
    await importBuilt<typeof import("../../../src/config/file-snapshot.ts")>("config/file-snapshot.js");
  const tools = createTools();
  const config = { ...(await readToolConfig({}, {})), bundledTools: false, sources: [{ folder: path }] };
  const folder: ToolsFolder = {
    path,
    write(more) {
      for (const [name, text] of Object.entries(more)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
    },
    remove: (name) => rmSync(join(path, name), { recursive: true }),
    load: () => tools.load(config),
    isChanged() {
      const watched = tools.files();
      const { marks } = takeSnapshot(watched);
      return [...watched.files, ...watched.folders].some(([file, mark]) => marks.get(file) !== mark);
    },
    async call(name) {
      const outcome = await invoke(tools.registry, { name, arguments: {}, caller: { id: "test" } });
      return outcome.status === "ok" ? outcome.result : outcome.error.code;
    },
    names: () => tools.registry.list().map(({ tool }) => tool.name),
    reasons: () => Object.fromEntries(tools.status()[0]?.skipped.map(({ name, reason }) => [name, reason]) ?? []),
    warnings: () => tools.status()[0]?.warnings.map(({ name, message }) => `${name}: ${message}`) ?? [],
    moduleOf: (name) => tools.registry.find(name)?.tool.module,
  };
  folder.write(files);
  return folder;
}

/** A module that exports a tool which returns the value of an expression. */
export function toolOf(name: string, expression: string, imports = "", fields = ""): string {
  return `${imports}
export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, ${fields} execute: () => ${expression} };`;
}

/** The same as CommonJS. */
export function commonJsToolOf(name: string, expression: string, imports = ""): string {
  return `${imports}
exports.tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, execute: () => ${expression} };`;
}
