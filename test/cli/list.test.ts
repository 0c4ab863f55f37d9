import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { servedTools } from "./served-tools.ts";
import { fixtures, temporaryFolder, toolhost } from "./toolhost.ts";

const tools = join(fixtures, "tools");

test("list shows a line a tool, and apart from them what is missing and why", async () => {
  const { code, stdout, stderr } = await toolhost(["list"]);
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/^get_current_time +\S/),
    expect.stringMatching(/^get_weather +\S/),
    expect.stringMatching(/^show_effect +\S/),
    "",
  ]);
  expect(stderr).toBe('unavailable "web_search": the environment variable TAVILY_API_KEY is not set\n');
});

test("list shows the tools of folders that --tools names", async () => {
  const { stdout, stderr } = await toolhost(["list", "--tools", tools, `--tools=${join(fixtures, "rival")}`]);
  expect(stdout).toMatch(/^echo_mjs +Says a text back\.$/m);
  expect(stdout).toMatch(/^get_weather /m);
  expect(stderr).toMatch(
    /^skipped "throws": its module threw an error while it was loaded, at tool\.mjs:\d+:\d+: no licence for this machine$/m,
  );
});

test("list --json is what GET /tools answers", async () => {
  const url = await servedTools();
  const { stdout } = await toolhost(["list", "--json"]);
  expect(JSON.parse(stdout)).toEqual(await (await fetch(`${url}/tools`)).json());
});

test("list of no tools prints nothing", async () => {
  const empty = temporaryFolder();
  expect(await toolhost(["list", `--tools=${empty}`], { env: { TOOLHOST_BUNDLED: "off" } })).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
});

test("list needs nothing that only the service needs", async () => {
  const env = { PORT: "http", HOST: "0.0.0.0", LOG_LEVEL: "loud", SHUTDOWN_DELAY_MS: "soon" };
  expect(await toolhost(["list"], { env })).toMatchObject({ code: 0 });
});

test("list --url shows the tools of a running service, with the same notes", async () => {
  const rival = join(fixtures, "rival");
  const url = await servedTools([`--tools=${rival}`]);
  const here = await toolhost(["list", `--tools=${rival}`]);
  expect(here.stderr).toMatch(/^unavailable "web_search": /m);
  expect(await toolhost(["list", "--url", url])).toEqual(here);
  expect(await toolhost(["list", `--url=${url}/`])).toEqual(here);
});

test("list --url sends the first key, and says what the service says where it does not open", async () => {
  const url = await servedTools([], { TOOLHOST_API_KEYS: "first,second" });
  expect(await toolhost(["list", "--url", url], { env: { TOOLHOST_API_KEYS: "second,other" } })).toMatchObject({
    code: 0,
  });
  for (const [env, message] of [
    [{}, "Send a key as Authorization: Bearer <key>."],
    [{ TOOLHOST_API_KEYS: "wrong" }, "The key is not valid."],
  ] as const) {
    const { code, stdout, stderr } = await toolhost(["list", "--url", url], { env });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toBe(`toolhost: the service at ${url} refused: ${message}\n`);
  }
});

test.each([
  ["nothing", undefined],
  ["a page", "<p>hello</p>"],
  ["other JSON", '{"hello":"there"}'],
  ["null", "null"],
])("list and call --url say that no Toolhost answers where %s does", async (_name, body) => {
  const server = createServer((_incoming, outgoing) => outgoing.end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (body === undefined) server.close();
  else onTestFinished(() => void server.close());
  const expected = { code: 2, stdout: "", stderr: `toolhost: no Toolhost answers at ${url}\n` };
  expect(await toolhost(["list", "--url", url])).toEqual(expected);
  expect(await toolhost(["call", "get_weather", "--url", url])).toEqual(expected);
});

test.each([["--unknown"], ["word"], ["--url"], ["--tools", "--json"], ["--url", "no url"]])(
  "list %s is refused in one line",
  async (...args) => {
    const { code, stderr } = await toolhost(["list", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
  },
);

test("list says what is wrong with the URL", async () => {
  const { stderr } = await toolhost(["list", "--url", "no url"]);
  expect(stderr).toBe('toolhost: --url must start with http:// or https://, but is "no url"\n');
});

test("list writes no character that a terminal obeys", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "loud"));
  const description = JSON.stringify("Rings.\u001b[2J\nAnd more.");
  writeFileSync(
    join(folder, "loud/tool.mjs"),
    `export const tool = { name: "loud", description: ${description}, parameters: { type: "object" }, execute: () => null };\n`,
  );
  const { stdout } = await toolhost(["list", "--no-bundled", "--tools", folder]);
  expect(stdout).toMatch(/^loud +Rings\.\\u001b\[2J\n$/);
});
