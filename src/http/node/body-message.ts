import { IncomingMessage } from "node:http";

/** An object and not a function: there is one for every call, and its methods are made once. */
export interface BodyTaker {
  /** Is given each chunk, `null` at the end, or `null` and the error that ended the body early. */
  take(chunk: Buffer | null, error?: Error): void;
  /** So much waits to be read that the sender should wait. */
  readonly isFull: boolean;
  /** @param onRoom called once, if the body {@link isFull} no more, or nothing more of it is read */
  awaitRoom(onRoom: () => void): void;
  /** Nothing more of the body is awaited. Does nothing if all of it was taken, or it was refused before. */
  refuse(error: unknown): void;
}

/** What node:http does with a body that nobody read, when the answer is out: it reads it to its end. */
const { _dump: readToEnd } = IncomingMessage.prototype as unknown as { _dump(this: IncomingMessage): void };

/** Inherits nothing, so that a name is there only if the client sent it. A constructor, as V8 keeps its objects fast. */
const OwnHeaders = function () {} as unknown as { new (): Headers; prototype: unknown };
OwnHeaders.prototype = Object.create(null);

type Headers = Record<string, string | string[] | undefined>;

/** What most requests have, in the spellings of most clients: looking here is cheaper than lower case and Node's rules. */
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
 * A request whose body can be taken where the parser puts it. Going through the stream's events costs a tenth of a call;
 * code that does not take the body reads the stream as usual.
 */
export class BodyMessage extends IncomingMessage {
  #headers: Headers | undefined;
  #taker: BodyTaker | undefined;
  /** Who reads the body from the stream: {@link readBy}. */
  #reader: BodyTaker | undefined;
  /** The body was taken to its end. The stream behind it stays empty, and need not run through its own end. */
  #isTaken = false;
  #isAbandoned = false;

  /** Its connection was answered for the last time before all of it came: it must not start, whatever follows. */
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
      // How a second line of a name joins the first is Node's to say.
      if (common !== undefined && headers[common] === undefined) headers[common] = rawHeaders[index + 1]!;
      else (this as unknown as HeaderJoiner)._addHeaderLine(name, rawHeaders[index + 1]!, headers);
    }
    return (this.#headers = headers);
  }

  /**
   * @returns false if a part of the body is in the stream already: then it must be read from there. Never so in
   * the turn of the event loop that brought the request.
   */
  takeBody(taker: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.destroyed) return false;
    this.#taker = taker;
    return true;
  }

  /** Somebody reads the body from the stream, and is passed what {@link refuseBody} is called with. */
  readBy(reader: BodyTaker): void {
    this.#reader = reader;
  }

  /** Refuses the request if its body is awaited, because it will not be waited for. */
  refuseBody(error: unknown): void {
    if (!this.complete) (this.#taker ?? this.#reader)?.refuse(error);
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
    // node:http pauses the socket if it is told false. Not resumed by _read, after which it would not drop what nobody reads.
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
