import { parseFlags, toolFlags, type ToolFlags } from "../config/flags.ts";
import { listTools } from "../core/caller.ts";
import type { Declaration } from "../tool/declaration.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import { isJsonObject } from "../json/object.ts";
import { skippedOf } from "../core/source.ts";
import { escapeControls, type Io } from "./io.ts";
import { readAnswer, requestJson } from "./remote.ts";
import { loadTools } from "./load-tools.ts";
import { inQuotes } from "../json/in-quotes.ts";

/** `toolhost list`: the tools of this machine's folders, or of a running service. */
export async function list(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseFlags({
    args: [...args],
    options: { ...toolFlags, url: { type: "string" }, json: { type: "boolean" } },
  });
  const { tools, notes } = values.url === undefined ? await listLocal(values, io) : await listRemote(values.url, io);
  const lines = tools.map(
    ({ name, description }) => `${name.padEnd(24)} ${escapeControls(description.split("\n", 1)[0] ?? "")}\n`,
  );
  io.out(values.json === true ? `${JSON.stringify({ tools }, null, 2)}\n` : lines.join(""));
  for (const note of notes) io.err(`${escapeControls(note)}\n`);
  return 0;
}

interface Listed {
  readonly tools: readonly Declaration[];
  /** The tools that are missing from the list, with the reason. */
  readonly notes: readonly string[];
}

interface Status {
  readonly sources: readonly { readonly skipped: readonly Skipped[] }[];
  readonly unavailable: readonly Skipped[];
}

async function listLocal(flags: ToolFlags, io: Io): Promise<Listed> {
  const { registry, status } = await loadTools(flags, io);
  const seen = listTools(registry, {});
  const unseen = registry.list().filter((entry) => !seen.includes(entry));
  return {
    tools: seen.map((entry) => entry.declaration),
    notes: toNotes({
      sources: status().map((source) => ({ skipped: skippedOf(source) })),
      unavailable: [
        ...registry.unavailable().map(({ tool, unavailable = "" }) => ({ name: tool.name, reason: unavailable })),
        ...unseen.map(({ tool }) => ({ name: tool.name, reason: "only callers with a token can use it" })),
      ],
    }),
  };
}

async function listRemote(url: string, io: Io): Promise<Listed> {
  const { tools } = readAnswer(url, await requestJson(url, "tools", io.env), isList);
  return { tools, notes: toNotes(readAnswer(url, await requestJson(url, "status", io.env), isStatus)) };
}

function toNotes({ sources, unavailable }: Status): string[] {
  const skipped = sources.flatMap((source) => source.skipped);
  return [
    ...unavailable.map(({ name, reason }) => `unavailable ${inQuotes(name)}: ${reason}`),
    ...skipped.map(({ name, reason }) => `skipped ${inQuotes(name)}: ${reason}`),
  ];
}

function isList(answer: unknown): answer is { tools: readonly Declaration[] } {
  return isJsonObject(answer) && Array.isArray(answer["tools"]);
}

function isStatus(answer: unknown): answer is Status {
  return isJsonObject(answer) && Array.isArray(answer["sources"]) && Array.isArray(answer["unavailable"]);
}
