// What docs/library.md shows: the package on a port of its own and inside other frameworks. Part of pack.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const docs = readFileSync(new URL("../../docs/library.md", import.meta.url), "utf8");
const { dependencies: peers } = JSON.parse(readFileSync(new URL("../../bench/package.json", import.meta.url), "utf8"));
const key = "a-key-of-the-service";
const startMs = 20_000;

/** The frameworks have the versions that `bench/` measures. */
export async function checkMounted({ folder, run, say }) {
  const frameworks = ["express", "fastify"].map((name) => `${name}@${peers[name]}`);
  run("npm", ["install", "--no-audit", "--no-fund", ...frameworks], folder);
  const blocks = [...docs.matchAll(/^```js\n\/\/ (\w+\.mjs)\n([^]+?)^```/gm)].map(([, file, code]) => ({ file, code }));
  assert.deepEqual(
    blocks.map(({ file }) => file),
    ["toolhost.mjs", "alone.mjs", "hono.mjs", "express.mjs", "fastify.mjs", "next.mjs"],
  );
  const port = await freePort();
  for (const { file, code } of blocks) writeFileSync(join(folder, file), code.replace("8080", String(port)));
  for (const file of ["alone.mjs", "hono.mjs", "express.mjs", "fastify.mjs"]) {
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { ...process.env, TOOLHOST_KEY: key },
      stdio: "inherit",
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    const prefix = file === "alone.mjs" ? "" : "/toolhost";
    try {
      await listening(port);
      await checkAnswers(file, (path, init) => fetch(`http://127.0.0.1:${port}${prefix}${path}`, init));
    } finally {
      child.kill();
      await ended;
    }
  }
  process.env.TOOLHOST_KEY = key;
  const route = await import(pathToFileURL(join(folder, "next.mjs")).href);
  await checkAnswers("next.mjs", (path, init) =>
    route[init.method](new Request(`http://127.0.0.1/toolhost${path}`, init)),
  );
  say("it answers on a port of its own, and inside Hono, Express, Fastify and Next, as docs/library.md shows");
}

async function checkAnswers(file, send) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const called = await send("/tools/add/invoke?timeoutMs=1000", { method: "POST", headers, body: '{"a":1,"b":2}' });
  assert.deepEqual((await called.json()).result, { sum: 3 }, file);
  assert.equal((await send("/tools", { method: "GET" })).status, 401, file);
  const document = await (await send("/openapi.json", { method: "GET", headers })).json();
  assert.equal(document.servers[0].url, "https://example.com/toolhost", file);
}

async function listening(port) {
  const giveUpAt = Date.now() + startMs;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  return new Promise((resolve) => {
    server.once("listening", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
