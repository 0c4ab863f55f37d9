import { createKeepAlive } from "../fuzz/keep-alive.ts";
import { callBytes, startLoadedService } from "./loaded-service.ts";
import { type LoadRow, mebibytes } from "./load-report.ts";

const connections = 4;
/** At most as many as the service runs of one connection at once. */
const atOnce = 8;
const samples = 10;

/** Calls of every kind: good, wrong, unknown, failing, timed out, streamed, many in one, and no JSON. */
const requests: readonly Buffer[] = [
  callBytes("echo", { a: 1, list: [1, 2, 3], text: "x".repeat(200) }),
  callBytes("echo", { b: { c: null } }, "toolhost-session: a\r\n"),
  callBytes("wait", { ms: "soon" }),
  callBytes("nope", {}),
  callBytes("throw", { what: "error" }),
  callBytes("hold", { ms: 1 }, "accept: text/event-stream\r\n"),
  Buffer.from(callBytes("wait", { ms: 5, id: 1 }).toString().replace("/invoke", "/invoke?timeoutMs=1")),
  callBytes("echo", { a: 1 }, "content-encoding: gzip\r\n"),
  Buffer.from(
    callBytes("echo", {
      calls: [
        { name: "echo", arguments: { a: 1 } },
        { name: "wait", arguments: { ms: 0 } },
      ],
    })
      .toString()
      .replace("/tools/echo/invoke", "/calls"),
  ),
  Buffer.from(callBytes("echo", { a: 1 }).toString().replace('{"a":', '{"a"::').replace("length: 7", "length: 8")),
];

/**
 * What is in use after garbage was collected, while calls of every kind come and go. A warm-up comes first.
 * @param bytesPerCall how much each call may leave behind on average
 */
export async function checkLeaks(size: { readonly calls: number; readonly bytesPerCall: number }): Promise<LoadRow[]> {
  const service = await startLoadedService({ nodeFlags: ["--expose-gc"] });
  const clients = Array.from({ length: connections }, () => createKeepAlive(service.port));
  const inUse: number[] = [];
  const part = Math.ceil(size.calls / samples);
  await sendCalls(part);
  const startedAt = performance.now();
  inUse.push((await service.call("heap"))["bytes"] as number);
  for (let sample = 0; sample < samples; sample++) {
    await sendCalls(part);
    inUse.push((await service.call("heap"))["bytes"] as number);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  clients.forEach((client) => client.close());
  await service.stop();

  const slope = slopeOf(inUse) / part;
  return [
    {
      check: `memory in use over ${size.calls} calls of ${requests.length} kinds`,
      limit: `at most ${size.bytesPerCall} bytes a call`,
      measured: `${slope.toFixed(2)} bytes a call, ${mebibytes(inUse[0]!)} to ${mebibytes(inUse.at(-1)!)}, ${Math.round(size.calls / seconds)} calls/s`,
      holds: slope <= size.bytesPerCall,
    },
  ];

  async function sendCalls(count: number): Promise<void> {
    let next = 0;
    const work = async (client: (typeof clients)[number]): Promise<void> => {
      while (next < count) {
        const from = next;
        next += atOnce;
        await client.exchange(
          Array.from({ length: atOnce }, (_, index) => requests[(from + index) % requests.length]!),
        );
      }
    };
    await Promise.all(clients.map(work));
  }
}

/** The least-squares slope of the values over their index. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return covariance / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
