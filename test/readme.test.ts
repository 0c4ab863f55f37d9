import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { service as startToolhost } from "./cli/toolhost.ts";
import { startProvider } from "./dialects/providers/start-provider.ts";
import { says } from "./examples/agent-turns.ts";
import { runToEnd } from "./examples/run-program.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/^\$ (curl .*)\n((?:.+\n)+)/gm)].map(([, command = "", answer = ""]) => ({
  command,
  answer,
}));

const hasCurl = runs("curl");
if (!hasCurl) console.info("skipped: the README's curl lines, because there is no curl here");

describe.skipIf(!hasCurl)("the README's first curl lines", () => {
  let service: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const env = { ...process.env, PORT: "0", LOG_LEVEL: "silent", TAVILY_API_KEY: "" };
    service = spawn(process.execPath, ["dist/src/main.js", "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    url = await listeningUrl(service);
  });
  afterAll(() => service.kill());

  it("are a list, a good call, a bad call, a timeout, a provider's list and a model's reply", () => {
    expect(examples).toHaveLength(6);
  });

  it.each(examples)("print what the README says: $command", ({ command, answer }) => {
    const printed = execFileSync("sh", ["-c", command.replace("http://127.0.0.1:8080", url)], { encoding: "utf8" });
    expect(withoutCallId(printed)).toBe(withoutCallId(answer));
  });
});

it("the README's loop stands in an example, which is run", () => {
  const [, loop = ""] = /^```py\n([^]+?)^```/m.exec(readme) ?? [];
  const example = readFileSync(new URL("../examples/loop.py", import.meta.url), "utf8");
  expect(loop).toContain("for turn");
  expect(example).toContain(loop);
});

it("the README's agent runs as it stands, with a running Toolhost", async () => {
  const program = /^```ts\n([^]+?toolhost\/agent[^]+?)^```/m.exec(readme)?.[1] ?? "";
  const toolhost = await startToolhost();
  const asked = says("openai", "", ["get_current_time", { timezone: "Asia/Tokyo" }]);
  const provider = await startProvider({ dialect: "openai", turns: [asked, says("openai", "It is nine.")] });
  onTestFinished(() => provider.stop());
  const here = program.replace("http://127.0.0.1:8080", toolhost.url);
  expect(here).not.toBe(program);
  const env = { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: "k" };
  const ended = await runToEnd([process.execPath, "--input-type=module", "--eval", here], env);
  expect(ended).toEqual({ code: 0, stdout: "It is nine.\n", stderr: "" });
  expect(provider.requests.flatMap(({ breaches }) => breaches)).toEqual([]);
  expect(JSON.stringify(provider.requests[1]?.body)).toContain("+09:00");
});

function runs(command: string): boolean {
  try {
    execFileSync(command, ["--version"]);
    return true;
  } catch {
    return false;
  }
}

async function listeningUrl({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("the service has no stderr");
  for await (const line of createInterface({ input: stderr })) {
    const entry = JSON.parse(line) as { msg?: string; url?: string };
    if (entry.msg === "listening" && entry.url !== undefined) return entry.url;
  }
  throw new Error("the service ended before it listened");
}

function withoutCallId(text: string): string {
  return text.replace(/(?:\s*```)?\s*$/, "").replace(/"callId":"[^"]+"/, '"callId":"…"');
}
