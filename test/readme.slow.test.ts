import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { service as startToolhost } from "./cli/toolhost.ts";
import { says } from "./examples/agent-turns.ts";
import { runToEnd } from "./examples/run-program.ts";
import { startProvider } from "./providers/start-provider.ts";
import { curlExamples, readme } from "./readme-examples.ts";

const hasCurl = runs("curl");
if (!hasCurl) console.info("skipped: the curl lines of the README and docs/http.md, because there is no curl here");

describe.skipIf(!hasCurl)("the curl lines of the README and docs/http.md", () => {
  let service: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const env = { ...process.env, PORT: "0", LOG_LEVEL: "silent", TAVILY_API_KEY: "" };
    service = spawn(process.execPath, ["dist/src/main.js", "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    url = await listeningUrl(service);
  });
  afterAll(() => service.kill());

  it.each(curlExamples)("print what the page says: $command", ({ command, answer }) => {
    const here = command.replace(/(?:http:\/\/127\.0\.0\.1|localhost):8080/, url);
    // Not every machine has jq: what it would print is compared as JSON.
    const request = here.replace(/ \| jq$/, "");
    const printed: unknown = JSON.parse(execFileSync("sh", ["-c", request], { encoding: "utf8" }));
    expect(withoutChanging(printed)).toEqual(withoutChanging(JSON.parse(answer)));
  });
});

const hasPython = runs("python3");
if (!hasPython) console.info("skipped: the README's Python loop, because there is no python3 here");

it.skipIf(!hasPython)("the README's Python loop runs as it is, with a stand-in for the package openai", async () => {
  const program = /^```py\n([^]+?)^```/m.exec(readme)?.[1] ?? "";
  const { here, env, provider } = await withAgentServices(program);
  const ended = await runToEnd(["python3", "-c", here], {
    ...env,
    PYTHONPATH: `${import.meta.dirname}/examples/python`,
    PYTHONDONTWRITEBYTECODE: "1",
  });
  expect(ended).toEqual({ code: 0, stdout: "It is nine.\n", stderr: "" });
  expect(provider.requests.flatMap(({ breaches }) => breaches)).toEqual([]);
  expect(JSON.stringify(provider.requests[1]?.body)).toContain("+09:00");
});

it("the README's library listens, and asks for its key", async () => {
  const blocks = [...readme.matchAll(/^```ts\n([^]+?)^```/gm)].map(([, block = ""]) => block);
  const program = blocks.find((block) => block.includes("createApp")) ?? "";
  const asking = `
    server.once("listening", async () => {
      const url = \`http://127.0.0.1:\${server.address().port}/tools/add/invoke\`;
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: '{"a":1,"b":2}' };
      console.log((await fetch(url, init)).status);
      headers.authorization = "Bearer a-long-random-key";
      console.log(JSON.stringify((await (await fetch(url, init)).json()).result));
      process.exit();
    });`;
  const here = program.replace("port: 8080", "port: 0") + asking;
  const { code, stdout, stderr } = await runToEnd([process.execPath, "--input-type=module", "--eval", here], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/result: \{ sum: 3 \}[^]*\n401\n\{"sum":3\}\n$/);
});

it("the README's agent runs as it is, with a running Toolhost", async () => {
  const program = /^```ts\n([^]+?toolhost\/agent[^]+?)^```/m.exec(readme)?.[1] ?? "";
  const { here, env, provider } = await withAgentServices(program);
  const ended = await runToEnd([process.execPath, "--input-type=module", "--eval", here], env);
  expect(ended).toEqual({ code: 0, stdout: "It is nine.\n", stderr: "" });
  expect(provider.requests.flatMap(({ breaches }) => breaches)).toEqual([]);
  expect(JSON.stringify(provider.requests[1]?.body)).toContain("+09:00");
});

/** A program that asks a running Toolhost, and a provider whose model asks for the time in Tokyo and then tells it. */
async function withAgentServices(program: string) {
  const toolhost = await startToolhost();
  const asked = says("openai", "", ["get_current_time", { timezone: "Asia/Tokyo" }]);
  const provider = await startProvider({ dialect: "openai", turns: [asked, says("openai", "It is nine.")] });
  onTestFinished(() => provider.stop());
  const here = program.replace("http://127.0.0.1:8080", toolhost.url);
  expect(here).not.toBe(program);
  return { here, provider, env: { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: "k" } };
}

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

/** Call ids and times differ each time. */
function withoutChanging(value: unknown): unknown {
  const changing = ["callId", "iso", "utc", "unix_seconds", "weekday"];
  return JSON.parse(JSON.stringify(value, (key, member: unknown) => (changing.includes(key) ? typeof member : member)));
}
