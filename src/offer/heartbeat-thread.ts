import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { parentPort, workerData } from "node:worker_threads";

export interface HeartbeatData {
  /** The URL of the service's `/workers`. */
  readonly url: string;
  readonly token: string;
  /** The time of the main thread's last request, as `Date.now()` has it. */
  readonly signedAt: Float64Array;
}

/** The registration whose lease is renewed. */
export interface Beating {
  /** Behind `/workers`. */
  readonly path: string;
  readonly leaseMs: number;
}

/** No call may last longer. A main thread that is blocked for longer will not return. */
const longestBlockMs = 900_000;
const body = '{"answers":[]}';

const { url, token, signedAt } = workerData as HeartbeatData;
const send = url.startsWith("https:") ? requestHttps : requestHttp;
let beatAt = 0;
let timer: NodeJS.Timeout | undefined;

parentPort?.on("message", (beating: Beating | undefined) => {
  clearInterval(timer);
  if (beating !== undefined) timer = setInterval(() => look(beating), beating.leaseMs / 10);
});

function look({ path, leaseMs }: Beating): void {
  const now = Date.now();
  const silentMs = now - signedAt[0]!;
  // The main thread asks at least every third of the lease.
  if (silentMs < leaseMs / 2 || silentMs > longestBlockMs || now - beatAt < leaseMs / 3) return;
  beatAt = now;
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  const sending = send(`${url}${path}/calls`, { method: "POST", headers, agent: false, timeout: leaseMs / 3 });
  // If it failed, the main thread finds out.
  sending.on("error", () => undefined);
  sending.on("timeout", () => sending.destroy());
  sending.on("response", (response) => response.resume());
  sending.end(body);
}
