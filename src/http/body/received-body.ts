import { isUtf8 } from "node:buffer";
import { CallError } from "../../errors/errors.ts";
import { type JsonSource, JsonSyntaxError, parseJson, TooManyValues } from "../../json/parse.ts";
import type { BodyTaker } from "../node/body-message.ts";
import { type Exchange, header } from "../exchange.ts";
import { hasByteOrderMark, LongBody } from "./long-body.ts";

/** The bytes of all bodies that a service has in memory. */
export interface HeldBytes {
  bytes: number;
}

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly maxBytes: number;
  readonly held: HeldBytes;
  readonly maxHeldBytes: number;
}

/**
 * The handler of a body. One of the two functions is called, once; the second one also with an error that the first one
 * throws.
 */
export interface BodyHandler {
  /** @param source contains the text of the document, if it was requested */
  takeDocument(source: JsonSource): void;
  /**
   * @param error a CallError: `bad_request`, `body_too_large`, `unsupported_media_type`, `overloaded`, or `cancelled`
   * if the client left
   */
  refuseBody(error: unknown): void;
  /** Whether it contains answers to running calls, which the shutdown waits for. @default false */
  readonly endsCalls?: boolean;
}

/** No call and no reply of a model has so many, and each value takes a hundred times its size as JSON. */
const maxValues = 200_000;
/** A longer body is read while it arrives. A shorter one is read in one step, which costs less in total. */
const longBytes = 262_144;
const noBytes = Buffer.alloc(0);

/**
 * A body of JSON as it comes.
 *
 * A class, because there is one for every call, and its methods must not be made for each.
 */
export class ReceivedBody implements BodyTaker {
  readonly #exchange: Exchange;
  readonly #limits: BodyLimits;
  readonly #handler: BodyHandler;
  readonly #keepsText: boolean;
  #length = 0;
  #held = 0;
  #bytes: Buffer = noBytes;
  #long: LongBody | undefined = undefined;
  /**
   * The reason why a long body cannot be read. It is reported at the end, because a client that still sends may not
   * read it.
   */
  #fault: unknown = undefined;
  /** All of it has arrived. */
  #hasEnded = false;
  /** It was taken or refused. */
  #isOver = false;

  /** @param keepsText whether the text of the document is requested too */
  constructor(exchange: Exchange, limits: BodyLimits, handler: BodyHandler, keepsText: boolean) {
    this.#exchange = exchange;
    this.#limits = limits;
    this.#handler = handler;
    this.#keepsText = keepsText;
  }

  /** A chunk, `null` at the end, or the error that ended the body early. */
  take(chunk: Buffer | null, error?: Error): void {
    // The rest of a refused body is dropped as it arrives.
    if (this.#isOver || this.#hasEnded) return;
    try {
      if (error !== undefined) throw new CallError("cancelled", "The client disconnected before it had sent the body.");
      if (chunk !== null) return this.#write(chunk);
      if (this.#length > 0) checkMediaType(this.#exchange);
      this.#end();
    } catch (fault) {
      this.refuse(fault);
    }
  }

  get endsCalls(): boolean | undefined {
    return this.#handler.endsCalls;
  }

  get isFull(): boolean {
    return this.#long?.isFull === true;
  }

  awaitRoom(onRoom: () => void): void {
    this.#long?.awaitRoom(onRoom);
  }

  refuse(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#handler.refuseBody(error);
  }

  /** @throws CallError `body_too_large`, or `overloaded` if all bodies together are too large */
  #write(chunk: Buffer): void {
    const { maxBytes, held, maxHeldBytes } = this.#limits;
    const start = this.#length;
    const length = start + chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    this.#length = length;
    if (this.#fault !== undefined) return;
    this.#held += chunk.length;
    held.bytes += chunk.length;
    if (held.bytes > maxHeldBytes) throw tooManyBytes();
    if (this.#long !== undefined) this.#long.write(chunk);
    else if (length <= longBytes) this.#bytes = start === 0 ? chunk : append(this.#bytes, start, chunk);
    else {
      this.#long = new LongBody(maxValues, this.#keepsText, (error) => this.#noteFault(error));
      this.#long.write(this.#bytes.subarray(0, start));
      this.#bytes = noBytes;
      this.#long.write(chunk);
    }
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#fault !== undefined) this.refuse(explain(this.#fault));
    else if (this.#long === undefined) this.#finish();
    else this.#long.end(() => this.#finish());
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      const source = this.#read();
      // From now on the arguments use the memory, and calls have their own limits.
      this.#release();
      this.#handler.takeDocument(source);
    } catch (fault) {
      this.#release();
      this.#handler.refuseBody(fault);
    }
  }

  /** @throws CallError `bad_request` */
  #read(): JsonSource {
    try {
      if (this.#long !== undefined) return this.#long.result();
      const text = this.#readText();
      const { value, refusals } = parseJson(text);
      return { value, refusals, text };
    } catch (error) {
      throw explain(error);
    }
  }

  /** It is read, or will not be read: its bytes are no longer counted. */
  #release(): void {
    this.#long?.drop();
    // Other references to the body would keep its values in memory.
    this.#long = undefined;
    this.#limits.held.bytes -= this.#held;
    this.#held = 0;
  }

  #noteFault(error: unknown): void {
    this.#fault = error;
    this.#release();
    // A body that is too large is not read to its end.
    if (this.#hasEnded || error instanceof TooManyValues) this.refuse(explain(error));
  }

  #readText(): string {
    const bytes = this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
    if (bytes.length === 0) return "{}";
    if (!isUtf8(bytes)) throw new CallError("bad_request", "The body is not UTF-8.");
    return bytes.toString("utf8", hasByteOrderMark(bytes) ? 3 : 0);
  }
}

/**
 * Copied into one buffer as they arrive: as separate pieces of one byte, a body would take a hundred times its size.
 */
function append(body: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  let grown = body;
  // The first piece is the parser's own memory, so it cannot be extended.
  if (needed > body.length) {
    grown = Buffer.allocUnsafeSlow(Math.max(needed, body.length * 2));
    body.copy(grown, 0, 0, length);
  }
  chunk.copy(grown, length);
  return grown;
}

function explain(error: unknown): unknown {
  if (error instanceof TooManyValues) return new CallError("body_too_large", `The body has over ${maxValues} values.`);
  if (error instanceof JsonSyntaxError)
    return new CallError("bad_request", `The body cannot be read. ${error.message}`, {}, error);
  return error;
}

export function tooLarge(maxBytes: number): CallError {
  return new CallError("body_too_large", `The body is larger than ${maxBytes} bytes.`);
}

export function tooManyBytes(): CallError {
  return new CallError(
    "overloaded",
    "The service has too many request bodies in memory. Nothing ran; call again in a moment.",
  );
}

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*;?$/i;

function checkMediaType(exchange: Exchange): void {
  const type = header(exchange, "content-type");
  if (type === "application/json" || (type !== undefined && jsonMediaType.test(type))) return;
  throw new CallError("unsupported_media_type", "The body must be sent with content-type: application/json, in UTF-8.");
}
