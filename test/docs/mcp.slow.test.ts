import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseFlags, serveFlags } from "../../src/config/flags.ts";
import { service, temporaryFolder } from "../cli/toolhost.ts";

const root = new URL("../../", import.meta.url);
const binFile = fileURLToPath(new URL("bin/toolhost.mjs", root));
const docs = readFileSync(new URL("docs/mcp.md", root), "utf8");

/** An entry of a client's file. */
interface Entry {
  readonly type?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Sample {
  readonly client: string;
  readonly file: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
}

/** The JSON blocks, each with the bold words before it. */
const samples: Sample[] = [...docs.matchAll(/^```json\n([^]+?)^```/gm)].map(({ 1: json = "", index }) => ({
  client: /.*\*\*(.+?)\*\*/s.exec(docs.slice(0, index))?.[1] ?? "",
  file: JSON.parse(json) as Sample["file"],
}));

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "docs", version: "1" } },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

function toolsFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "say"));
  writeFileSync(
    join(folder, "say/tool.mjs"),
    'export const tool = { name: "say", description: "Says.", tags: ["weather"], parameters: { type: "object" }, execute: () => "said" };',
  );
  return folder;
}

/** What the program of an entry writes for the requests of a client. */
async function answersOf(entry: Entry, replace: (text: string) => string): Promise<string> {
  const [runner, program, ...args] = [entry.command, ...(entry.args ?? [])];
  expect([runner, program]).toEqual(["node", "/path/to/toolhost/bin/toolhost.mjs"]);
  const child = spawn(process.execPath, [binFile, ...args.map((each) => replace(each!))], {
    env: { PATH: process.env["PATH"], ...entry.env },
    cwd: temporaryFolder(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  child.stdin.write(`${JSON.stringify(initialize)}\n${JSON.stringify(list)}\n`);
  while (output.split("\n").length < 3 && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return output;
}

describe("docs/mcp.md", () => {
  test("has the samples of these clients, under the key that each reads", () => {
    expect(samples.map(({ client, file }) => [client, Object.keys(file)])).toEqual([
      ["Cursor", ["mcpServers"]],
      ["VS Code", ["servers"]],
      ["Claude Desktop", ["mcpServers"]],
      ["Claude Desktop", ["mcpServers"]],
    ]);
    // VS Code requires a type.
    expect(samples[1]!.file["servers"]!["toolhost"]!.type).toBe("http");
  });

  test("has samples that work: each gets the tools of a service, or of the program that it starts", async () => {
    const folder = toolsFolder();
    const flags = ["--tools", folder, "--no-bundled"];
    const { url } = await service(flags, { env: { TOOLHOST_API_KEYS: "YOUR_KEY" } });
    const replace = (text: string): string =>
      text
        .replace("/home/me/my-tools", folder)
        .replace(/^https:\/\/tools\.example/, url)
        .replace("http://127.0.0.1:8080", url);
    for (const { file } of samples) {
      for (const entry of Object.values(file).flatMap((servers) => Object.values(servers))) {
        if (entry.url === undefined) {
          expect(await answersOf(entry, replace)).toContain('"name":"say"');
          continue;
        }
        const response = await fetch(replace(entry.url), {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json", ...entry.headers },
          body: JSON.stringify(list),
        });
        expect(await response.text()).toContain('"name":"say"');
      }
    }
  });

  test("has commands with flags that there are", () => {
    const commands = [...docs.matchAll(/(?<=^|`)toolhost (serve|check|call) ([^`\n]+)/gm)];
    expect(commands.length).toBeGreaterThan(6);
    for (const [, , words = ""] of commands) {
      const args = words.replace(/\s+#.*/, "").split(/\s+/);
      expect(() => parseFlags({ args, options: serveFlags, allowPositionals: true })).not.toThrow();
    }
  });
});
