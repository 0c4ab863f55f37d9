import { Worker } from "node:worker_threads";
import { findWorkerFile } from "../async/worker-file.ts";
import type { Beating, HeartbeatData } from "./heartbeat-thread.ts";

/**
 * Renews the lease of a worker whose main thread is blocked by a tool, and so cannot ask for calls: a separate thread
 * sends an empty list of answers if no request was sent for a part of the lease.
 */
export interface Heartbeat {
  /** A request is being sent: it renews the lease. */
  sign(): void;
  /** The registration whose lease is renewed, from now on. */
  set(registration: Beating | undefined): void;
  end(): Promise<void>;
}

export function startHeartbeatThread({ url, token }: { readonly url: string; readonly token: string }): Heartbeat {
  const signedAt = new Float64Array(new SharedArrayBuffer(8));
  const sign = (): void => void (signedAt[0] = Date.now());
  sign();
  const data: HeartbeatData = { url, token, signedAt };
  const thread = new Worker(findWorkerFile("heartbeat-thread", import.meta.url), {
    name: "heartbeat",
    workerData: data,
    // Modules of --import, such as an OpenTelemetry SDK, must not load there.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  // Without it a tool that blocks the main thread for long loses the lease, and nothing else.
  thread.on("error", (error) => process.emitWarning(error));
  thread.unref();
  return {
    sign,
    set: (registration) =>
      thread.postMessage(registration && { path: registration.path, leaseMs: registration.leaseMs }),
    end: async () => void (await thread.terminate()),
  };
}
