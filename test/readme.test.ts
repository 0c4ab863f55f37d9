import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../src/config/read-config.ts";
import { service as startToolhost, toolhost } from "./cli/toolhost.ts";
import { startProvider } from "./providers/start-provider.ts";
import { says } from "./examples/agent-turns.ts";
import { runToEnd } from "./examples/run-program.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const reference = readFileSync(new URL("../docs/http.md", import.meta.url), "utf8");
const examples = [readme, reference].flatMap((page) =>
  [...page.matchAll(/^\$ (curl .*)\n((?:(?!```).+\n)+)/gm)].map(([, command = "", answer = ""]) => ({
    command,
    answer,
  })),
);

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

  it("are a good call, a bad call, a provider's list and a model's reply", () => {
    expect(examples).toHaveLength(4);
  });

  it.each(examples)("print what the page says: $command", ({ command, answer }) => {
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

it("the README's configuration is accepted", async () => {
  const content = blockWith("publicUrl");
  const folder = mkdtempSync(join(tmpdir(), "toolhost-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "toolhost.yaml"), content);
  expect(await readConfig([], {}, folder)).toMatchObject({ publicUrl: "https://tools.example/api" });
});

describe("the README's API", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));

  it("has its commands' tools, and a request that shows what is sent", async () => {
    const [check, call] = [...readme.matchAll(/^npx toolhost (.*--openapi [^#\n]*)/gm)].map(([, words = ""]) =>
      words.trim(),
    );
    const [name, args] = /^call (\S+) '(.*?)'/.exec(call ?? "")?.slice(1) ?? [];
    expect(await toolhost((check ?? "").split(" "), { cwd: root })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "pets_listPets: GET /shops/{shop}/pets, arguments: shop, status?, tags?",
      ) as string,
    });
    const words = ["call", name!, args!, "--openapi", "examples/pets.yaml", "--dry-run"];
    expect((await toolhost(words, { cwd: root })).stdout).toMatch(
      /^GET https:\/\/pets\.example\/v1\/shops\/s1\/pets\?tags=cat,old\n/,
    );
  });

  it("is configured with words for the model and a bound shop", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolhost-readme-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(root, "examples/pets.yaml"), join(folder, "examples/pets.yaml"));
    writeFileSync(join(folder, "toolhost.yaml"), blockWith("openapi:"));
    const env = { PETS_TOKEN: "secret" };
    const list = await toolhost(["list", "--json", "--no-bundled"], { cwd: folder, env });
    expect(JSON.parse(list.stdout)).toMatchObject({
      tools: [
        { name: "pets_listPets", description: expect.stringMatching(/^Lists the pets/) as string, tags: ["shop"] },
      ],
    });
    expect(list.stdout).not.toContain('"shop": {');
    const request = await toolhost(["call", "pets_listPets", "{}", "--dry-run"], { cwd: folder, env });
    expect(request.stdout).toMatch(
      /^GET https:\/\/api\.example\/v1\/shops\/s1\/pets\n[^]*authorization: Bearer masked/,
    );
  });
});

/** The YAML of the README that contains these words. */
function blockWith(words: string): string {
  const blocks = [...readme.matchAll(/^```yaml\n([^]+?)^```/gm)].map(([, block = ""]) => block);
  return blocks.find((block) => block.includes(words)) ?? "";
}

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
