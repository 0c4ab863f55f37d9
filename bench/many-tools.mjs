import { mkdir, writeFile } from "node:fs/promises";
import http from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { cpuUs } from "./measure.mjs";
import { rotate, sampleOf, warmUp } from "./rounds.mjs";
import { ratio, spread } from "./statistics.mjs";
import { startServer } from "./start.mjs";

const words = [
  "account",
  "amount",
  "category",
  "country",
  "customer",
  "invoice",
  "language",
  "priority",
  "region",
  "status",
];

/**
 * Writes `count` tool folders of 5 to 10 parameters, about 1.8 kB of JSON each. They share one module: what is
 * measured is the registry, not the loading of a thousand programs.
 * @param {string} folder
 * @param {number} count
 */
export async function writeTools(folder, count) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(dirname(folder), "execute.mjs"), "export const execute = async () => ({ accepted: true });\n");
  for (let index = 0; index < count; index++) {
    const name = `synthetic_${String(index).padStart(4, "0")}`;
    const { module, parameters, response } = syntheticTool(name, index);
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "tool.mjs"), module);
    await writeFile(join(folder, name, "parameters.json"), JSON.stringify(parameters));
    await writeFile(join(folder, name, "response.json"), JSON.stringify(response));
  }
}

function syntheticTool(name, index) {
  const chosen = Array.from(
    { length: 5 + (index % 6) },
    (_, offset) => `${words[(index + offset) % words.length]}_${offset}`,
  );
  const properties = Object.fromEntries(chosen.map((key, offset) => [key, property(key, index + offset)]));
  const description = `Works on the ${words[index % words.length]} records of collection ${index} and says what was done.`;
  return {
    module: `import { execute } from '../../execute.mjs';\nexport const tool = ${JSON.stringify({ name, description }).slice(0, -1)}, execute };\n`,
    parameters: { type: "object", properties, required: chosen.slice(0, 2), additionalProperties: false },
    response: {
      type: "object",
      properties: {
        accepted: { type: "boolean", description: `Whether collection ${index} took the change.` },
        records: {
          type: "array",
          items: { type: "object", properties: { id: { type: "string" }, version: { type: "integer" } } },
        },
        note: { type: "string", description: "What a person should know about this change, in a sentence." },
      },
      required: ["accepted"],
    },
  };
}

function property(key, seed) {
  const description = `The ${key.replace("_", " number ")} to use, as the catalogue of ${words[seed % words.length]} entries writes it; ask when unsure.`;
  switch (seed % 4) {
    case 0:
      return { type: "string", description, minLength: 1, maxLength: 100 + seed };
    case 1:
      return { type: "integer", description, minimum: 0, maximum: 1000 + seed };
    case 2:
      return { type: "string", description, enum: [`low_${seed}`, `middle_${seed}`, `high_${seed}`] };
    default:
      return { type: "array", description, items: { type: "string", maxLength: 64 }, maxItems: 20 };
  }
}

/**
 * The list of many tools, in each way a client may ask for it, against an invoke on the same server.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {{ count: number, connections: number, rounds: number, seconds: number, port: number, say: (text: string) => void }} options
 */
export async function measureManyTools(candidate, { count, connections, rounds, seconds, port, say }) {
  const server = await startServer(candidate, { port });
  const url = `${server.url}/tools`;
  await readyz(server.url);
  const startCpuSeconds = cpuUs(server.pid) / 1e6;

  const plain = await fetchList(url, {});
  const gzip = await fetchList(url, { "accept-encoding": "gzip" });
  const etag = plain.headers.get("etag");
  const unchanged = await fetchList(url, { "if-none-match": etag });
  const listed = JSON.parse(plain.body.toString()).tools.length;
  must(listed >= count, `GET /tools lists ${listed} tools, not ${count}`);
  must(gzip.headers.get("content-encoding") === "gzip", "GET /tools is not gzipped where gzip is accepted");
  must(gzip.unpacked.equals(plain.body), "the gzipped list is another one than the plain list");
  must(
    unchanged.status === 304 && unchanged.body.length === 0,
    `If-None-Match: ${etag} is answered ${unchanged.status}`,
  );

  const subjects = {
    invoke: server.request(),
    plain: { method: "GET", url, headers: {} },
    gzip: { method: "GET", url, headers: { "accept-encoding": "gzip" } },
    etag: { method: "GET", url, headers: { "if-none-match": etag } },
    openai: { method: "GET", url: `${url}?format=openai`, headers: {} },
    tenCalls: tenCalls(server),
  };
  await mustRunTen(subjects.tenCalls);
  await fetchList(subjects.openai.url, {});
  say("warm-up");
  for (const [id, request] of Object.entries(subjects)) {
    // A whole list is megabytes: 5,000 of them take longer than everything else together.
    await warmUp(request, { connections, ...(id === "plain" || id === "openai" ? { requests: 500 } : {}) });
  }
  const cpu = Object.fromEntries(Object.keys(subjects).map((id) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const id of rotate(Object.keys(subjects), round)) {
      cpu[id].push((await sampleOf(server.pid, subjects[id], { connections, seconds })).cpuUs);
    }
  }
  await server.stop();

  return {
    listed,
    connections,
    startCpuSeconds,
    bytes: { plain: plain.body.length, gzip: gzip.body.length, etag: 0 },
    cpuUs: Object.fromEntries(Object.entries(cpu).map(([id, values]) => [id, spread(values)])),
    toInvoke: Object.fromEntries(
      ["plain", "gzip", "etag", "openai", "tenCalls"].map((id) => [id, ratio(cpu[id], cpu.invoke)]),
    ),
    openaiToPlain: ratio(cpu.openai, cpu.plain),
  };
}

/** The call of an invoke, ten times in one request. */
function tenCalls(server) {
  const { headers, body } = server.request();
  const call = { name: "bench_weather", arguments: JSON.parse(body) };
  const calls = Array.from({ length: 10 }, (_, id) => ({ id: `${id}`, ...call }));
  return { method: "POST", url: `${server.url}/calls`, headers, body: JSON.stringify({ calls }) };
}

async function mustRunTen({ url, ...request }) {
  const { results } = await (await fetch(url, request)).json();
  must(results.length === 10 && results.every(({ status }) => status === "ok"), "not all of ten calls are answered");
}

async function readyz(url) {
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(5);
}

function fetchList(url, headers) {
  // fetch would unpack the answer and ask for encodings of its own.
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        const zipped = response.headers["content-encoding"] === "gzip";
        resolve({
          status: response.statusCode,
          headers: new Headers(response.headers),
          body,
          unpacked: zipped ? gunzipSync(body) : body,
        });
      })
      .on("error", reject);
  });
}

function must(condition, message) {
  if (!condition) throw new Error(message);
}
