import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { service, temporaryFolder } from "../../cli/toolhost.ts";
import type { ServerMessage } from "../messages.ts";

const mainFile = fileURLToPath(new URL("../../../dist/src/main.js", import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  send(message: object): void;
  /** @returns the first message with the id, when it is here */
  answer(id: unknown): Promise<ServerMessage>;
  readonly exited: Promise<number | null>;
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = temporaryFolder()): Started {
  const child = spawn(process.execPath, [mainFile, "mcp", ...args], {
    env: { PATH: process.env["PATH"], ...env },
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const messages = (): ServerMessage[] =>
    output.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ServerMessage]));
  return {
    child,
    output,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async answer(id) {
      for (;;) {
        const found = output.stdout.endsWith("\n") ? messages().find((message) => message.id === id) : undefined;
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    exited,
  };
}

/** A folder with one tool. */
function folderWith(execute: string, more = ""): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "noisy"));
  const tool = `import { writeSync } from "node:fs";
console.log("loading");
process.stdout.write("loading\\n");
export const tool = {
  name: "noisy",
  description: "Prints.",
  parameters: { type: "object" },
  ${more}
  async execute(args, context) { ${execute} },
};
`;
  writeFileSync(join(folder, "noisy/tool.mjs"), tool);
  return folder;
}

const callNoisy = (id: number): object => ({ id, method: "tools/call", params: { name: "noisy" } });

describe("toolhost mcp", () => {
  it.each(["inline", "thread"])(
    "writes nothing but messages to stdout, whatever a tool prints (%s)",
    async (isolation) => {
      const print = 'console.log("a"); console.table([1]); process.stdout.write("b\\n"); return "done";';
      const server = start(["--tools", folderWith(print, `isolation: "${isolation}",`)]);
      server.send({ id: 1, method: "initialize", params: {} });
      server.send(callNoisy(2));
      expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { result: "done" } } });
      server.child.stdin!.end();
      expect(await server.exited).toBe(0);
      const lines = server.output.stdout.trimEnd().split("\n");
      expect(lines.map((line) => (JSON.parse(line) as ServerMessage).id)).toEqual([1, 2]);
      expect(server.output.stderr).toContain("loading");
    },
  );

  it("listens nowhere, and has the tools of its flags and of its file", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "toolhost.yaml"), "overrides: { noisy: { title: Noisy } }\n");
    const server = start(["--tools", folderWith("return 1;"), "--no-bundled"], { PORT: "not a port" }, cwd);
    server.send({ id: 1, method: "tools/list" });
    expect(await server.answer(1)).toMatchObject({ result: { tools: [{ name: "noisy", title: "Noisy" }] } });
    expect(server.output.stderr).not.toContain("listening");
  });

  it("outlives a tool that exits or fails where nobody waits for it", async () => {
    const fail =
      'setTimeout(() => { throw new Error("late"); }); void Promise.reject(new Error("lost")); process.exit(3);';
    const server = start(["--tools", folderWith(fail)]);
    server.send(callNoisy(1));
    expect(await server.answer(1)).toMatchObject({ result: { isError: true } });
    server.send({ id: 2, method: "ping" });
    expect(await server.answer(2)).toMatchObject({ result: {} });
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends by %s, also while a call runs", async (signal) => {
    const server = start(["--tools", folderWith("await new Promise(() => setInterval(() => {}, 1000));")]);
    server.send(callNoisy(1));
    server.send({ id: 2, method: "ping" });
    await server.answer(2);
    server.child.kill(signal);
    expect(await server.exited).toBe(0);
  });

  it.each([
    [["--tools", "./missing"], {}, "missing"],
    [["--url", "ftp://host"], {}, "--url must be the URL of a running Toolhost"],
    [["--url", "http://me:secret@host"], {}, "without a password"],
    [["--url", "http://host"], { TOOLHOST_API_KEY: "a b" }, "TOOLHOST_API_KEY"],
    [["--nonsense"], {}, "unknown flag --nonsense"],
    [[], { LOG_LEVEL: "loud" }, "LOG_LEVEL must be one of"],
  ])("with %j ends at once, with the reason on stderr", async (args, env, reason) => {
    const server = start(args, env as Record<string, string>);
    expect(await server.exited).toBe(2);
    expect(server.output.stdout).toBe("");
    expect(server.output.stderr).toContain(reason);
    expect(server.output.stderr).not.toContain("secret");
  });

  it("serves the tools of a running Toolhost, with its key", async () => {
    const { url } = await service(
      ["--tools", folderWith("context.progress({ progress: 1 }); return 7;"), "--no-bundled"],
      {
        env: { TOOLHOST_API_KEYS: "key" },
      },
    );
    const server = start(["--url", url], { TOOLHOST_API_KEY: "key" });
    server.send({ id: 1, method: "tools/call", params: { name: "noisy", _meta: { progressToken: "t" } } });
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { result: 7 } } });
    expect(server.output.stdout).toMatch(/^\{"jsonrpc":"2.0","method":"notifications\/progress"/);
    const stranger = start(["--url", url]);
    stranger.send({ id: 1, method: "tools/list" });
    expect(await stranger.answer(1)).toMatchObject({ error: { data: { code: "unauthorized" } } });
  });

  it.each(["its own tools", "those of a running Toolhost"])(
    "passes each progress of %s to the official client, which drops what arrives together with the result",
    async (whose) => {
      const quick = "for (let n = 1; n <= 3; n++) context.progress({ progress: n }); return 7;";
      const flags = ["--tools", folderWith(quick), "--no-bundled"];
      const args = whose === "its own tools" ? flags : ["--url", (await service(flags)).url];
      const client = new Client({ name: "test", version: "1" });
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [mainFile, "mcp", ...args], stderr: "ignore" }),
      );
      onTestFinished(() => client.close());
      // A client that is busy reads late, and may find both together all the same.
      await vi.waitFor(
        async () => {
          const seen: number[] = [];
          const onprogress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
          const result = await client.callTool({ name: "noisy" }, undefined, { onprogress });
          expect(result.structuredContent).toEqual({ result: 7 });
          expect(seen).toEqual([1, 2, 3]);
        },
        { timeout: 30_000, interval: 10 },
      );
    },
  );
});
