import { request } from "node:http";
import type { ListenAddress } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { readListenAddress } from "../config/read-config.ts";
import type { Io } from "./io.ts";

const limitMs = 1500;

/**
 * `toolhost health`: asks the service of the same configuration whether it is ready, for containers that have no curl.
 * It takes the flags and variables of `serve`, so that it asks where that listens. The file has no part in that: a service
 * that runs on is ready, whatever became of its file.
 */
export async function health(args: readonly string[], { env, out }: Io): Promise<number> {
  const address = readListenAddress(args, env);
  if (address.unixSocket === undefined && address.port === 0)
    throw new ConfigError("PORT is 0, so the port of the service is not known");
  const problem = await ask(address);
  out(problem === undefined ? "ready\n" : `not ready: ${problem}\n`);
  return problem === undefined ? 0 : 1;
}

/** @returns why the service is not ready; nothing where it is */
function ask({ unixSocket, host, port }: ListenAddress): Promise<string | undefined> {
  const address = unixSocket === undefined ? { host: reachable(host), port } : { socketPath: unixSocket };
  return new Promise((resolve) => {
    const asking = request({ ...address, path: "/readyz", signal: AbortSignal.timeout(limitMs) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? undefined : `it answered ${response.statusCode}`);
    });
    asking.on("error", (error: NodeJS.ErrnoException) => resolve(`it does not answer (${error.code ?? error.name})`));
    asking.end();
  });
}

/** Addresses that stand for all of the machine's can be listened at, but not everywhere be asked. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
