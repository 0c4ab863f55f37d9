import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Cancellation, cancel } from "../../core/call/call.ts";
import type { CallError } from "../../errors/errors.ts";
import type { Exchange } from "../exchange.ts";
import { BodyMessage } from "./body-message.ts";
import { probeHalfClosed } from "./half-closed.ts";

interface WaitingRequest {
  readonly start: () => void;
  /** The number of bytes that the socket had received when it was read. */
  readonly bytesRead: number;
}

/** The state of a socket over its requests. */
interface Connection {
  /** Its running calls: several if the client sends the next request before the answer. */
  readonly calls: Cancellation[];
  /** The number of requests that are being answered. */
  open: number;
  /** The number of long polls among them. The shutdown does not wait for their answers. */
  polls: number;
  /** The number of long polls whose answer is a stream that has begun. The unsent bytes of the socket belong to it. */
  streams: number;
  /** Requests that wait until fewer requests are being answered. */
  readonly waiting: WaitingRequest[];
  /** Whether {@link leave} is starting waiting requests at the moment. */
  isStarting: boolean;
  /** Requests after the last received one are not answered. */
  isEnding: boolean;
  /** Whether the listener was added that pauses the socket again while its queue is full. */
  staysPaused: boolean;
  /** The number of consecutive sweeps in which the connection had no call and sent nothing. */
  sweepsUnused: number;
  /** The number of consecutive sweeps in which an answer waited and the client read nothing. */
  sweepsStalled: number;
  /** The bytes that the client had read at the last sweep. */
  taken: number;
}

/** With pipelining one client could start any number of calls by one write. */
const maxOpen = 8;
/** If more requests wait, the socket is not read. Then a departure of the client is not noticed, but memory is limited. */
const maxWaiting = 4000;
/** The same limit in bytes: a request may have 16 KiB of headers, and as much of its body is read in advance. */
const maxWaitingBytes = 1_048_576;

const connection = Symbol("connection");
type ConnectedSocket = Socket & {
  [connection]?: Connection;
  /** What node:http reads it by, with the request that came last. */
  readonly parser?: { readonly incoming?: unknown } | null;
  /** Counts the bytes that were written to the system, and those that wait there. */
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

/** One listener per socket, not per request: with pipelining a request's own events report only the first request. */
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
    staysPaused: false,
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

/** Marks the current request as the last of its socket. */
export function endAfterThis(socket: Socket): void {
  connectionOf(socket).isEnding = true;
}

/** Whether an earlier request of this socket was its last. */
export function isEnding(socket: Socket): boolean {
  return connectionOf(socket).isEnding;
}

/** Counts a request. @returns false if its socket has too many, so that it must wait: {@link waitInLine} */
export function enter(socket: Socket): boolean {
  const own = connectionOf(socket);
  own.sweepsUnused = 0;
  if (own.open >= maxOpen) return false;
  own.open++;
  return true;
}

/** @param start is called after the request is counted, unless the client leaves before */
export function waitInLine(socket: Socket, start: () => void): void {
  const own = connectionOf(socket);
  own.waiting.push({ start, bytesRead: socket.bytesRead });
  if (isLineFull(own, socket)) pauseLine(own, socket);
}

/** Stops reading a socket while its queue is full. */
function pauseLine(own: Connection, socket: Socket): void {
  socket.pause();
  if (own.staysPaused) return;
  own.staysPaused = true;
  // node:http resumes a socket whenever it wants more of any body.
  socket.on("resume", () => {
    if (!isLineFull(own, socket)) return;
    // Already paused: a second pause would emit no event, and node:http, which has just begun to read, would continue.
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

/** Ends the count of a request when its answer is written to the socket. */
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

/** Counts a long poll: the shutdown does not wait for it until its answer is sent. */
export function beginPoll({ incoming }: Exchange): void {
  if (incoming !== undefined) connectionOf(incoming.socket).polls++;
}

/** Called when its answer is sent; the shutdown waits for that like for any other answer. */
export function endPoll({ incoming }: Exchange): void {
  if (incoming !== undefined) connectionOf(incoming.socket).polls--;
}

/** Called when its answer is a stream: the shutdown does not wait for the stream. */
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
 * Whether it is the latest request of its socket. If an answer closes the connection, the answers to later requests are
 * lost.
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
 * Whether a request waits for its turn, or an answer waits for the end of this turn of the event loop or for a slow
 * reader. Closing the server now would cut it off.
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

/** How long an answer may wait for a client that reads nothing. */
const stallMs = 20_000;

/**
 * Closes connections that were not used for this time, and those whose client has stopped reading. One sweep covers all
 * connections; node:http's own `keepAliveTimeout` would set and clear a timer for every request.
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
      // A client may read slowly, but must not stop.
      const moves = taken > own.taken;
      own.taken = taken;
      own.sweepsUnused = moves || own.calls.length > 0 ? 0 : own.sweepsUnused + 1;
      own.sweepsStalled = moves || socket.writableLength === 0 ? 0 : own.sweepsStalled + 1;
      if (own.sweepsUnused * sweepMs > idleMs || own.sweepsStalled * sweepMs > stallMs) socket.destroy();
    }
  }, sweepMs).unref();
  server.on("close", () => clearInterval(sweep));
}

/** The stream counts only whole writes, and an answer is one write, whatever its size. */
function takenBytes({ _handle: handle }: ConnectedSocket): number {
  return handle == null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
