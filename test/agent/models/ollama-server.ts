import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Ollama } from "ollama";
import { onTestFinished } from "vitest";

/** A server that does what a test says, with the official client for it. */
export async function serve(answer: (response: ServerResponse) => void) {
  /** What it was sent. */
  const bodies: unknown[] = [];
  /** When a client has left before its answer was whole. */
  const left = promised<void>();
  const server = createServer(async (request, response) => {
    response.once("close", () => {
      if (!response.writableFinished) left.resolve();
    });
    bodies.push(await json(request));
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { bodies, left: left.promise, client: new Ollama({ host }) };
}

/** A promise that is kept from outside. */
export function promised<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => (resolve = keep));
  return { promise, resolve: (value: T) => resolve(value) };
}
