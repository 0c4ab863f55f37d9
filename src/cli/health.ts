import { request } from "node:http";
import type { ListenAddress } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { readListenAddress } from "../config/read-config.ts";
import type { Io } from "./io.ts";

const limitMs = 1500;

/**
 * `toolhost health`: asks the service with the same configuration whether it is ready, for containers without curl. It
 * accepts the flags and variables of `serve`, so that it uses the same address. It does not read the file: a running
 * service is ready even if its file became invalid.
 */
export async function health(args: readonly string[], { env, out }: Io): Promise<number> {
  const address = readListenAddress(args, env);
  if (address.unixSocket === undefined && address.port === 0)
    throw new ConfigError("PORT is 0, so the port of the service is not known");
  const problem = await ask(address);
  out(problem === undefined ? "ready\n" : `not ready: ${problem}\n`);
  return problem === undefined ? 0 : 1;
}

/** @returns why the service is not ready; undefined if it is */
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

/** A service can listen on an address that stands for all of the machine's, but not every system can connect to it. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
