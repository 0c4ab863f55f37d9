import { IncomingMessage } from "node:http";

/** What becomes of a body: a chunk, `null` at its end, or the error that ended it early. */
export type BodyTaker = (chunk: Buffer | null, error?: Error) => void;

/** What node:http does with a body that nobody read, when the answer is out: it reads it to its end. */
const { _dump: readToEnd } = IncomingMessage.prototype as unknown as { _dump(this: IncomingMessage): void };

/** Inherits nothing, so that a name is there only if the client sent it. A constructor, as V8 keeps its objects fast. */
const OwnHeaders = function () {} as unknown as { new (): Headers; prototype: unknown };
OwnHeaders.prototype = Object.create(null);

type Headers = Record<string, string | string[] | undefined>;

/** How node:http joins a header to those before it. */
interface HeaderJoiner {
  _addHeaderLine(name: string, value: string, headers: Headers): void;
}

/**
 * A request whose body can be taken where the parser puts it. Going through the stream's events costs a tenth of a call;
 * whoever does not take the body reads the stream as ever.
 */
export class BodyMessage extends IncomingMessage {
  #headers: Headers | undefined;
  #take: BodyTaker | undefined;
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
      (this as unknown as HeaderJoiner)._addHeaderLine(rawHeaders[index]!, rawHeaders[index + 1]!, headers);
    }
    return (this.#headers = headers);
  }

  /**
   * @returns false where a part of the body is in the stream already: then it must be read from there. Never so in
   * the turn of the event loop that brought the request.
   */
  takeBody(take: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.destroyed) return false;
    this.#take = take;
    return true;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#isAbandoned) return true;
    const take = this.#take;
    if (take === undefined) return super.push(chunk, encoding);
    if (chunk === null) {
      this.#take = undefined;
      this.#isTaken = true;
    }
    take(chunk);
    return true;
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
    const take = this.#take;
    this.#take = undefined;
    super._destroy(error, callback);
    take?.(null, error ?? new Error("the connection ended"));
  }
}
