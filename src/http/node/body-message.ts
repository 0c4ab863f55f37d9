import { IncomingMessage } from "node:http";

/** An object and not a function: there is one for every call, and its methods are made once. */
export interface BodyTaker {
  /** Receives each chunk, then `null` at the end, or `null` with the error that ended the body early. */
  take(chunk: Buffer | null, error?: Error): void;
  /** Whether so much waits to be read that the sender should pause. */
  readonly isFull: boolean;
  /** @param onRoom called once, when the body is no longer {@link isFull} or is not read any further */
  awaitRoom(onRoom: () => void): void;
  /** Whether running calls depend on it: then the shutdown waits for it. @default false */
  readonly endsCalls?: boolean | undefined;
  /** Stops the wait for the body. Has no effect if all of it was taken, or if it was refused before. */
  refuse(error: unknown): void;
}

/** Reads the body to its end, as node:http does with an unread body after the answer was sent. */
const { _dump: readToEnd } = IncomingMessage.prototype as unknown as { _dump(this: IncomingMessage): void };

/**
 * Inherits nothing, so that it contains only names that the client sent. A constructor, because V8 keeps its objects
 * fast.
 */
const OwnHeaders = function () {} as unknown as { new (): Headers; prototype: unknown };
OwnHeaders.prototype = Object.create(null);

type Headers = Record<string, string | string[] | undefined>;

/**
 * The headers of most requests, in the spellings of most clients: a look-up here is cheaper than lower case and Node's
 * rules.
 */
const commonNames = new Map(
  [
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Connection",
    "Content-Length",
    "Content-Type",
    "Host",
    "Traceparent",
    "Transfer-Encoding",
    "User-Agent",
    "X-Request-Id",
  ].flatMap((name) => [
    [name, name.toLowerCase()],
    [name.toLowerCase(), name.toLowerCase()],
  ]),
);

/** How node:http joins a header to those before it. */
interface HeaderJoiner {
  _addHeaderLine(name: string, value: string, headers: Headers): void;
}

/**
 * A request whose body can be taken directly from the parser, because the stream's events cost a tenth of a call. Other
 * code reads the stream as usual.
 */
export class BodyMessage extends IncomingMessage {
  #headers: Headers | undefined;
  #taker: BodyTaker | undefined;
  /** The reader of the body from the stream: {@link readBy}. */
  #reader: BodyTaker | undefined;
  /** The body was taken to its end. The stream stays empty, and its end event is not needed. */
  #isTaken = false;
  #isAbandoned = false;

  /** The last answer of its connection was sent before all of it arrived: it must not start, whatever follows. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  abandon(): void {
    this.#isAbandoned = true;
  }

  // @ts-expect-error The types call it a property. It is an accessor.
  override get headers(): Headers {
    if (this.#headers !== undefined) return this.#headers;
    const headers = new OwnHeaders();
    const { rawHeaders } = this;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      const common = commonNames.get(name);
      // Node's rules decide how repeated headers are joined.
      if (common !== undefined && headers[common] === undefined) headers[common] = rawHeaders[index + 1]!;
      else (this as unknown as HeaderJoiner)._addHeaderLine(name, rawHeaders[index + 1]!, headers);
    }
    return (this.#headers = headers);
  }

  /**
   * @returns false if a part of the body is already in the stream: then the body must be read from there. This never
   * happens in the turn of the event loop in which the request arrived.
   */
  takeBody(taker: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.destroyed) return false;
    this.#taker = taker;
    return true;
  }

  /** Registers a reader of the body from the stream, which gets the error that {@link refuseBody} is called with. */
  readBy(reader: BodyTaker): void {
    this.#reader = reader;
  }

  /** Refuses the request if its body has not arrived completely, and no running call depends on it. */
  refuseBody(error: unknown): void {
    const taker = this.#taker ?? this.#reader;
    if (!this.complete && taker?.endsCalls !== true) taker?.refuse(error);
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#isAbandoned) return true;
    const taker = this.#taker;
    if (taker === undefined) return super.push(chunk, encoding);
    if (chunk === null) {
      this.#taker = undefined;
      this.#isTaken = true;
    }
    taker.take(chunk);
    if (chunk === null || !taker.isFull) return true;
    // node:http pauses the socket if this returns false. Not resumed by _read, after which it would not drop what
    // nobody reads.
    taker.awaitRoom(() => this.socket.resume());
    return false;
  }

  // @ts-expect-error The types call it a property. It is an accessor, and what node:http asks when the answer is out.
  override get readableEnded(): boolean {
    // @ts-expect-error As above.
    return this.#isTaken || super.readableEnded;
  }

  _dump(): void {
    if (!this.#isTaken) readToEnd.call(this);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const taker = this.#taker;
    this.#taker = undefined;
    super._destroy(error, callback);
    taker?.take(null, error ?? new Error("the connection ended"));
  }
}
