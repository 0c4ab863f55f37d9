import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnChild } from "./children.mjs";
import { invokeCall } from "./candidates.mjs";
import { pinned } from "./pin.mjs";
import { rotate, sampleOf, warmUp } from "./rounds.mjs";
import { ratio, spread } from "./statistics.mjs";
import { startServer } from "./start.mjs";

const answers = fileURLToPath(new URL("servers/floor.mjs", import.meta.url));
const input = { city: "São Paulo", unit: "celsius", days: [1, 2, 3] };

/**
 * A call of an OpenAPI tool, against a tool that sends the same request by hand with `context.fetch`, on one server. The API
 * behind both runs on the load's core.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {{ folder: string, node: string, connections: number, rounds: number, seconds: number, port: number, say: (text: string) => void }} options
 */
export async function measureOpenApiCalls(candidate, { folder, node, connections, rounds, seconds, port, say }) {
  const apiPort = port + 9;
  const base = `http://127.0.0.1:${apiPort}/v1`;
  await writeSources(folder, base);
  const [file, ...args] = pinned("load", [node, answers]);
  const api = spawnChild(file, args, { env: { PATH: process.env.PATH, PORT: `${apiPort}` }, stdio: "ignore" });
  while (
    !(await fetch(base).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(20);

  const env = { ...candidate.env, TOOLHOST_CONFIG: join(folder, "toolhost.yaml") };
  const server = await startServer({ ...candidate, env }, { port });
  const requestOf = (tool) => {
    const { path, ...request } = invokeCall(tool)(input);
    return { ...request, url: `${server.url}${path}` };
  };
  const subjects = { openapi: requestOf("weather_forecast"), hand: requestOf("forecast_by_hand") };
  for (const request of Object.values(subjects)) await mustAnswer(request);
  say("warm-up");
  for (const request of Object.values(subjects)) await warmUp(request, { connections });
  const cpu = { openapi: [], hand: [] };
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const id of rotate(Object.keys(subjects), round)) {
      cpu[id].push((await sampleOf(server.pid, subjects[id], { connections, seconds })).cpuUs);
    }
  }
  await server.stop();
  api.kill();
  return {
    connections,
    cpuUs: { openapi: spread(cpu.openapi), hand: spread(cpu.hand) },
    toHand: ratio(cpu.openapi, cpu.hand),
  };
}

async function mustAnswer({ url, ...request }) {
  const answer = await (await fetch(url, request)).json();
  if (answer.status !== "ok") throw new Error(`${url} answers ${JSON.stringify(answer)}`);
}

async function writeSources(folder, base) {
  const tool = join(folder, "tools/forecast_by_hand");
  await mkdir(tool, { recursive: true });
  const parameters = {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      days: { type: "array", items: { type: "integer" } },
    },
    required: ["city"],
    additionalProperties: false,
  };
  const response = { type: "object", required: ["status"], properties: { status: { type: "string" } } };
  const json = { "application/json": { schema: response } };
  const { city, ...query } = parameters.properties;
  const document = {
    openapi: "3.1.0",
    info: { title: "Weather", version: "1" },
    paths: {
      "/forecast/{city}": {
        get: {
          operationId: "forecast",
          parameters: [
            { name: "city", in: "path", required: true, schema: city },
            ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema })),
          ],
          responses: { 200: { description: "The forecast.", content: json } },
        },
      },
    },
  };
  await writeFile(join(folder, "weather.json"), JSON.stringify(document));
  await writeFile(join(tool, "parameters.json"), JSON.stringify(parameters));
  await writeFile(join(tool, "response.json"), JSON.stringify(response));
  await writeFile(
    join(tool, "tool.mjs"),
    `export const tool = {
  name: "forecast_by_hand",
  description: "The forecast, by hand.",
  async execute({ city, unit, days }, { fetch }) {
    const query = new URLSearchParams();
    if (unit !== undefined) query.append("unit", unit);
    for (const day of days ?? []) query.append("days", day);
    const headers = { accept: "application/json", authorization: "Bearer bench" };
    const answer = await fetch(\`${base}/forecast/\${encodeURIComponent(city)}?\${query}\`, { headers });
    if (!answer.ok) throw new Error("status " + answer.status);
    return answer.json();
  },
};
`,
  );
  await writeFile(
    join(folder, "toolhost.yaml"),
    `tools:\n  - folder: ./tools\n  - { openapi: ./weather.json, baseUrl: ${base}, auth: { bearer: bench } }\n`,
  );
}
