import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import type { Declaration } from "../core/registry.ts";
import { requestJson } from "./remote.ts";
import { loadTools } from "./tool-sources.ts";

/** `toolhost list`: the tools of this machine's folders, or of a running service. */
export async function list(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { url: { type: "string" }, tools: { type: "string", multiple: true }, json: { type: "boolean" } },
  });
  const { tools, notes } = values.url === undefined ? await listLocal(values.tools) : await listRemote(values.url);
  const lines = tools.map(({ name, description }) => `${name.padEnd(24)} ${description.split("\n")[0]}`);
  process.stdout.write(values.json === true ? `${JSON.stringify({ tools }, null, 2)}\n` : `${lines.join("\n")}\n`);
  for (const note of notes) process.stderr.write(`${note}\n`);
  return 0;
}

interface Listed {
  readonly tools: readonly Declaration[];
  /** What is missing from the list, and why. */
  readonly notes: readonly string[];
}

async function listLocal(folders: readonly string[] = []): Promise<Listed> {
  const config = readConfig(folders.map((folder) => `--tools=${folder}`), localEnv());
  const { registry, sources } = await loadTools(config);
  const skipped = sources.flatMap((source) => source.status().skipped);
  return {
    tools: registry.list().map((entry) => entry.declaration),
    notes: [
      ...registry.unavailable().map(({ name, reason }) => `unavailable: ${name}: ${reason}`),
      ...skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}`),
    ],
  };
}

/** In process nothing listens, so that it needs no key whatever HOST says. */
function localEnv(): Record<string, string | undefined> {
  return { ...process.env, HOST: "127.0.0.1" };
}

async function listRemote(url: string): Promise<Listed> {
  const { tools } = (await requestJson(url, "tools")) as { tools: readonly Declaration[] };
  return { tools, notes: [] };
}
