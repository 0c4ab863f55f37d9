import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callBytes, type LoadedService } from "./loaded-service.ts";

/** A load balancer and its clients in one, as small as one can be that does not lose calls itself. */
export interface BalancedCalls {
  /** Puts a replica in the place of another, or in a new one. It gets calls once it says that it is ready. */
  place(index: number, service: LoadedService): void;
  readonly counts: Readonly<CallCounts>;
  /** Lets what was sent be answered, and sends no more. */
  end(): Promise<void>;
}

export interface CallCounts {
  sent: number;
  ok: number;
  /** Answered, but not with a result: 503 while the service ends. */
  refused: number;
  /** Sent, and the connection ended without an answer. */
  lost: number;
  /** Never sent, because nobody accepted the connection; these go elsewhere. */
  unsent: number;
}

interface Replica {
  readonly service: LoadedService;
  ready: boolean;
  /** Connections that wait for their next call. */
  readonly idle: Socket[];
}

const healthCheckMs = 50;

/**
 * Clients that call one after the other, each at whichever replica is ready. What was sent is never sent again: its
 * answer is what counts. A connection is used again unless its answer said `connection: close`, its replica is no longer
 * ready, or it was closed.
 */
export function callBalanced({ clients }: { readonly clients: number }): BalancedCalls {
  const replicas: Replica[] = [];
  const counts: CallCounts = { sent: 0, ok: 0, refused: 0, lost: 0, unsent: 0 };
  let ending = false;
  let turn = 0;
  const working = Array.from({ length: clients }, work);
  const checking = checkHealth();
  return {
    place: (index, service) => void (replicas[index] = { service, ready: false, idle: [] }),
    counts,
    async end() {
      ending = true;
      await Promise.all([...working, checking]);
      for (const { idle } of replicas) idle.forEach((socket) => socket.destroy());
    },
  };

  async function checkHealth(): Promise<void> {
    while (!ending) {
      const checks = replicas.map(async (replica) => {
        replica.ready = await replica.service.isReady();
        if (!replica.ready) replica.idle.splice(0).forEach((socket) => socket.destroy());
      });
      await Promise.all(checks);
      await sleep(healthCheckMs);
    }
  }

  async function work(_: unknown, client: number): Promise<void> {
    for (let call = 0; !ending; call++) {
      const replica = replicas.filter(({ ready }) => ready)[turn++ % 2] ?? replicas.find(({ ready }) => ready);
      const socket = replica?.idle.pop() ?? (replica && (await open(replica.service.port)));
      if (replica === undefined || socket === undefined) {
        if (replica !== undefined) counts.unsent++;
        await sleep(5);
        continue;
      }
      counts.sent++;
      const answer = await callOn(socket, 1 + ((client * 7 + call) % 60));
      if (answer === undefined) counts.lost++;
      else if (answer.startsWith("HTTP/1.1 200")) counts.ok++;
      else counts.refused++;
      const isKept = answer !== undefined && !/^connection: close\r$/im.test(answer) && replica.ready;
      if (isKept && !socket.destroyed) replica.idle.push(socket);
      else socket.destroy();
      socket.once("close", () => {
        const place = replica.idle.indexOf(socket);
        if (place !== -1) replica.idle.splice(place, 1);
      });
    }
  }
}

/** @returns undefined where nobody accepts the connection */
function open(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.setMaxListeners(0);
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

/** @returns the whole answer, or undefined where the connection ended before it */
function callOn(socket: Socket, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
      if (head !== -1 && text.length >= head + 4 + Number(length)) done(text);
    };
    const onClose = (): void => done(undefined);
    socket.on("data", onData);
    socket.once("close", onClose);
    if (socket.destroyed) done(undefined);
    else socket.write(callBytes("wait", { ms }));

    function done(answer: string | undefined): void {
      socket.off("data", onData);
      socket.off("close", onClose);
      resolve(answer);
    }
  });
}
