import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Cancellation, cancel } from "../../core/call/call.ts";
import type { CallError } from "../../errors/errors.ts";
import type { Exchange } from "../exchange.ts";
import { BodyMessage } from "./body-message.ts";
import { probeHalfClosed } from "./half-closed.ts";

interface WaitingRequest {
  readonly start: () => void;
  /** How many bytes had come by its socket when it was read. */
  readonly bytesRead: number;
}

/** What is kept of a socket over its requests. */
interface Connection {
  /** The calls that it waits for: several if a client sends the next request before the answer. */
  readonly calls: Cancellation[];
  /** Requests that are being answered. */
  open: number;
  /** Those among them whose answer the end of the service does not wait for. */
  polls: number;
  /** Those among the polls whose answer is a stream that has begun: what waits to be sent is its bytes. */
  streams: number;
  /** Requests that wait until fewer are. */
  readonly waiting: WaitingRequest[];
  isStarting: boolean;
  /** What follows the last request that came is not answered. */
  isEnding: boolean;
  /** Its line was full before: the socket is kept from being resumed while it is. */
  isPausable: boolean;
  sweepsUnused: number;
  /** How many sweeps in a row saw an answer wait and its reader take none of it. */
  sweepsStalled: number;
  /** Bytes that the client had taken at the last sweep. */
  taken: number;
}

/** With pipelining one client could start any number of calls by one write. */
const maxOpen = 8;
/** From here on the socket is not read, and nobody notices when its client leaves: rather that than memory without end. */
const maxWaiting = 4000;
/** The same for their bytes: a request may have 16 KiB of headers, and as much again of its body is read ahead. */
const maxWaitingBytes = 1_048_576;

const connection = Symbol("connection");
type ConnectedSocket = Socket & {
  [connection]?: Connection;
  /** What node:http reads it by, with the request that came last. */
  readonly parser?: { readonly incoming?: unknown } | null;
  /** Counts what was handed to the system, and how much of that waits there. */
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

/** One listener a socket, not one a request: with pipelining a request's own events tell of the first one only. */
function connectionOf(socket: ConnectedSocket): Connection {
  const known = socket[connection];
  if (known !== undefined) return known;
  const made: Connection = {
    calls: [],
    open: 0,
    polls: 0,
    streams: 0,
    waiting: [],
    isStarting: false,
    isEnding: false,
    isPausable: false,
    sweepsUnused: 0,
    sweepsStalled: 0,
    taken: 0,
  };
  socket[connection] = made;
  socket.once("close", () => {
    made.waiting.length = 0; // First: a call that is cancelled makes room for the next.
    [...made.calls].forEach(cancel);
  });
  socket.once("end", () => probeHalfClosed(socket));
  return made;
}

/** Says that the request at hand is the last of its socket. */
export function endAfterThis(socket: Socket): void {
  connectionOf(socket).isEnding = true;
}

/** Whether an earlier request of this socket was its last. */
export function isEnding(socket: Socket): boolean {
  return connectionOf(socket).isEnding;
}

/** Counts a request in. @returns false if its socket has too many, so that it must wait: {@link waitInLine} */
export function enter(socket: Socket): boolean {
  const own = connectionOf(socket);
  own.sweepsUnused = 0;
  if (own.open >= maxOpen) return false;
  own.open++;
  return true;
}

/** @param start is called with the request counted in, unless the client leaves before */
export function waitInLine(socket: Socket, start: () => void): void {
  const own = connectionOf(socket);
  own.waiting.push({ start, bytesRead: socket.bytesRead });
  if (isLineFull(own, socket)) pauseLine(own, socket);
}

/** Reads nothing more of a socket while its line is full. */
function pauseLine(own: Connection, socket: Socket): void {
  socket.pause();
  if (own.isPausable) return;
  own.isPausable = true;
  // node:http resumes a socket whenever it wants more of any body.
  socket.on("resume", () => {
    if (!isLineFull(own, socket)) return;
    // Paused since: a second pause would emit nothing, and node:http, which has just begun to read, would go on.
    if (socket.isPaused()) socket.emit("pause");
    else socket.pause();
  });
}

function isLineFull({ waiting }: Connection, socket: Socket): boolean {
  const [first] = waiting;
  if (first === undefined) return false;
  return waiting.length >= maxWaiting || socket.bytesRead - first.bytesRead >= maxWaitingBytes;
}

/** Whether requests of this socket wait for their turn. */
export function isInLine(socket: object): boolean {
  return ((socket as ConnectedSocket)[connection]?.waiting.length ?? 0) > 0;
}

/** Counts a request out when its answer is handed to the socket. */
export function leave(socket: Socket): void {
  const own = connectionOf(socket);
  own.open--;
  // Not by recursion: requests may be refused at once, one after the other.
  if (own.waiting.length === 0 || own.isStarting) return;
  own.isStarting = true;
  while (own.open < maxOpen && !socket.destroyed) {
    const next = own.waiting.shift();
    if (next === undefined) break;
    own.open++;
    next.start();
  }
  own.isStarting = false;
  if (socket.isPaused() && !isLineFull(own, socket)) socket.resume();
}

/** Counts a long poll: until it is answered, the end of the service does not wait for it. */
export function beginPoll({ incoming }: Exchange): void {
  if (incoming !== undefined) connectionOf(incoming.socket).polls++;
}

/** When its answer is sent, which is then waited for as any other. */
export function endPoll({ incoming }: Exchange): void {
  if (incoming !== undefined) connectionOf(incoming.socket).polls--;
}

/** When its answer is a stream: until that closes, the end of the service does not wait for it. */
export function beginStream({ incoming, outgoing }: Exchange): void {
  if (incoming === undefined) return;
  const own = connectionOf(incoming.socket);
  own.streams++;
  outgoing?.once("close", () => {
    own.streams--;
    own.polls--;
  });
}

/**
 * Whether no later request has come by the same socket. With an answer that ends the connection, the answers to those
 * would be lost.
 */
export function isNewest({ incoming }: Exchange): boolean {
  const newest = (incoming?.socket as ConnectedSocket | undefined)?.parser?.incoming;
  return newest == null || newest === incoming;
}

/** A cancellation that happens when the client leaves. */
export function watchDeparture({ incoming, request }: Exchange): Cancellation {
  const cancellation: Cancellation = { cancelled: false, target: undefined };
  if (incoming === undefined) {
    request?.raw.signal.addEventListener("abort", () => cancel(cancellation), { once: true });
    cancellation.cancelled = request?.raw.signal.aborted === true;
    return cancellation;
  }
  cancellation.cancelled = incoming.socket.destroyed;
  connectionOf(incoming.socket).calls.push(cancellation);
  return cancellation;
}

export function unwatchDeparture({ incoming }: Exchange, cancellation: Cancellation): void {
  if (incoming === undefined) return;
  const { calls } = connectionOf(incoming.socket);
  // The usual case first: one call at a time.
  if (calls.at(-1) === cancellation) return void calls.pop();
  const index = calls.lastIndexOf(cancellation);
  if (index !== -1) calls.splice(index, 1);
}

const socketsOf = new WeakMap<Server, ReadonlySet<Socket>>();

/**
 * Whether a request waits for its turn, or an answer for the end of this turn of the event loop or for a slow reader:
 * closing the server now would cut it off.
 */
export function hasUnsentAnswers(server: Server): boolean {
  return [...(socketsOf.get(server) ?? [])].some((socket) => {
    const { open, polls, streams, waiting } = connectionOf(socket);
    return open > polls || waiting.length > 0 || (socket.writableLength > 0 && streams === 0);
  });
}

/** Refuses the requests whose bodies have not arrived: no call of theirs runs. A socket has at most one, its newest. */
export function refuseUnfinishedBodies(server: Server, error: CallError): void {
  for (const socket of socketsOf.get(server) ?? []) {
    const newest = (socket as ConnectedSocket).parser?.incoming;
    if (newest instanceof BodyMessage) newest.refuseBody(error);
  }
}

/** How long an answer may wait for a reader who takes no byte of it. */
const stallMs = 20_000;

/**
 * Ends the connections that nobody has used for so long, and those whose reader has stopped. One sweep over all of them, where node:http's own
 * `keepAliveTimeout` sets and lifts a timer for every request.
 */
export function endIdleConnections(server: Server, idleMs: number, sweepMs = idleMs / 12): void {
  const sockets = new Set<Socket>();
  socketsOf.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const sweep = setInterval(() => {
    for (const socket of sockets) {
      const own = connectionOf(socket);
      const taken = takenBytes(socket);
      // A reader may be slow, but must not stop.
      const moves = taken > own.taken;
      own.taken = taken;
      own.sweepsUnused = moves || own.calls.length > 0 ? 0 : own.sweepsUnused + 1;
      own.sweepsStalled = moves || socket.writableLength === 0 ? 0 : own.sweepsStalled + 1;
      if (own.sweepsUnused * sweepMs > idleMs || own.sweepsStalled * sweepMs > stallMs) socket.destroy();
    }
  }, sweepMs).unref();
  server.on("close", () => clearInterval(sweep));
}

/** The stream's own counts tell of whole writes only, and an answer is one write, however large. */
function takenBytes({ _handle: handle }: ConnectedSocket): number {
  return handle == null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
