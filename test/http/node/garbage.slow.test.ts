import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

const sockets = 16;
const calls = 6000;

/**
 * V8 can keep all that calls leave behind, as a chain of which only the first is old: the heap grows, and collections
 * that should find nothing cost a tenth of each call. Twice it came of one line. Optimised code hides it until a
 * process is unlucky, so that this runs without.
 */
it("calls leave nothing behind that outlives two scavenges", { timeout: 60_000 }, async () => {
  const env = { ...process.env, PORT: "0", LOG_LEVEL: "info", TAVILY_API_KEY: "" };
  const flags = ["--no-opt", "--trace-gc", "--max-semi-space-size=1"];
  const service = spawn(process.execPath, [...flags, "dist/src/main.js", "serve"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let keptMegabytes = 0;
  let scavenges = 0;
  let last: number | undefined;
  createInterface({ input: service.stdout }).on("line", (line) => {
    const after = / Scavenge .*? -> ([\d.]+) /.exec(line)?.[1];
    if (after !== undefined && last !== undefined) keptMegabytes += Number(after) - last;
    if (after !== undefined) scavenges++;
    last = after === undefined ? undefined : Number(after);
  });
  try {
    const url = await listeningUrl(createInterface({ input: service.stderr }));
    service.stderr.resume();
    const agent = new Agent({ keepAlive: true, maxSockets: sockets });
    await sendCalls(url, agent, 1000);
    keptMegabytes = 0;
    scavenges = 0;
    await sendCalls(url, agent, calls);
    agent.destroy();
  } finally {
    service.kill();
  }
  expect(scavenges).toBeGreaterThan(10);
  expect((keptMegabytes * 1_048_576) / calls).toBeLessThan(2500);
});

async function sendCalls(url: string, agent: Agent, count: number): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: sockets }, async () => {
      while (left-- > 0) await sendCall(`${url}/tools/get_current_time/invoke`, agent);
    }),
  );
}

function sendCall(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const call = request(url, { method: "POST", agent, headers }, (answer) => {
      answer.resume().on("end", resolve).on("error", reject);
    });
    call.on("error", reject).end("{}");
  });
}

async function listeningUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const entry = JSON.parse(line) as { msg?: string; url?: string };
    if (entry.msg === "listening" && entry.url !== undefined) return entry.url;
  }
  throw new Error("the service ended before it listened");
}
