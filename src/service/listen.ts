import { existsSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import type { ListenAddress } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";

/**
 * @returns the URL it answers at
 * @throws ConfigError if it may not or cannot listen there
 */
export async function listen(server: Server, { unixSocket, host, port }: ListenAddress): Promise<string> {
  if (unixSocket !== undefined) await removeStaleSocket(unixSocket);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(explainListen(error, { unixSocket, host, port }));
    server.once("error", onError);
    server.once("listening", () => server.off("error", onError));
    const backlog = 4096;
    // The socket file is created inside listen(). With the mask, other users can never connect to it.
    const mask = process.umask(0o177);
    server.listen(unixSocket === undefined ? { host, port, backlog } : { path: unixSocket, backlog }, resolve);
    process.umask(mask);
  });
  if (unixSocket !== undefined) return `unix:${unixSocket}`;
  const address = server.address() as AddressInfo;
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}

function explainListen(error: NodeJS.ErrnoException, { unixSocket, host, port }: ListenAddress): ConfigError {
  const where = unixSocket ?? `${host}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE:
      unixSocket === undefined
        ? "the port is already in use; choose another with --port"
        : "the socket is already in use; choose another with --unix-socket",
    // libuv reports a folder that does not exist as EACCES, too.
    EACCES: isFolderMissing(unixSocket) ? "its folder does not exist" : "it is not permitted",
    ENOENT: "its folder does not exist",
    EADDRNOTAVAIL: "the address does not belong to this machine",
    ENOTFOUND: "the name has no address",
  };
  const reason = reasons[error.code ?? ""] ?? error.code ?? error.message;
  return new ConfigError(`cannot listen at ${where}: ${reason}`, { cause: error });
}

function isFolderMissing(unixSocket: string | undefined): boolean {
  return unixSocket !== undefined && !existsSync(dirname(unixSocket));
}

/** Removes the socket file of a killed process. A socket in use, and any other file, stays. */
async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isRefused = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
  });
  if (isRefused) rmSync(path, { force: true });
}
