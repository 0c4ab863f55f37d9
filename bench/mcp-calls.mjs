import { invokeCall } from "./candidates.mjs";
import { rotate, sampleOf, warmUp } from "./rounds.mjs";
import { ratio, spread } from "./statistics.mjs";
import { startServer } from "./start.mjs";

const input = { location: "Oslo", unit: "celsius" };

/**
 * A call over `/mcp`, in both eras, against the same call by invoke on the same server, and against the SDK's own server.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {import('./candidates.mjs').Candidate} sdk
 * @param {{ connections: number, rounds: number, seconds: number, port: number, say: (text: string) => void }} options
 */
export async function measureMcpCalls(candidate, sdk, { connections, rounds, seconds, port, say }) {
  const server = await startServer(candidate, { port });
  const sdkServer = await startServer(sdk, { port: port + 1 });
  const requestOf = ({ url }, { path, ...request }) => ({ ...request, url: `${url}${path}` });
  const legacy = sdk.call(input);
  const subjects = {
    invoke: { pid: server.pid, request: requestOf(server, invokeCall("bench_weather")(input)) },
    legacy: { pid: server.pid, request: requestOf(server, legacy) },
    modern: { pid: server.pid, request: requestOf(server, modernCall(legacy)) },
    sdk: { pid: sdkServer.pid, request: requestOf(sdkServer, legacy) },
  };
  for (const { request } of Object.values(subjects)) await mustAnswer(request);
  say("warm-up");
  for (const { request } of Object.values(subjects)) await warmUp(request, { connections });
  const cpu = Object.fromEntries(Object.keys(subjects).map((id) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const id of rotate(Object.keys(subjects), round)) {
      const { pid, request } = subjects[id];
      cpu[id].push((await sampleOf(pid, request, { connections, seconds })).cpuUs);
    }
  }
  await server.stop();
  await sdkServer.stop();
  return {
    connections,
    cpuUs: Object.fromEntries(Object.entries(cpu).map(([id, samples]) => [id, spread(samples)])),
    toInvoke: Object.fromEntries(Object.entries(cpu).map(([id, samples]) => [id, ratio(samples, cpu.invoke)])),
  };
}

/** The same call by the rules of 2026-07-28. */
function modernCall({ headers, body, ...request }) {
  const { params, ...message } = JSON.parse(body);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    ...request,
    headers: {
      ...headers,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": params.name,
    },
    body: JSON.stringify({ ...message, params: { ...params, _meta } }),
  };
}

async function mustAnswer({ url, ...request }) {
  const answer = await (await fetch(url, request)).json();
  const result = answer.result?.structuredContent ?? answer.result;
  if (result?.location !== input.location) throw new Error(`${url} answers ${JSON.stringify(answer)}`);
}
