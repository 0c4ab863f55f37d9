import { isAscii, isUtf8 } from "node:buffer";
import { CallError } from "../../errors/errors.ts";
import type { JsonDocument, JsonSource } from "../../json/parse.ts";
import { JsonReader } from "../../json/reader.ts";

const pieceBytes = 65_536;
/** How long pieces are read before other requests get a turn, in milliseconds. */
const turnMs = 8;
/** How many pieces may wait to be read before the sender has to wait too. */
const maxWaiting = 16;

/**
 * A long body, decoded and read piece by piece as it arrives, in turns with other work, so that a body of
 * any length never blocks the event loop for long. Text that is not needed is dropped as soon as it is read.
 */
export class LongBody {
  readonly #reader: JsonReader;
  readonly #keepsText: boolean;
  readonly #onFault: (error: unknown) => void;
  /** Full pieces that are not read yet, and the one that is being filled. */
  readonly #pieces: Buffer[] = [];
  #last: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #filled = 0;
  /** Pieces that were read and are used again. Only a full garbage collection would free new ones. */
  readonly #spare: Buffer[] = [];
  #onRoom: (() => void) | undefined = undefined;
  /** The bytes of a character that began in the previous piece. */
  #cut: Buffer = noBytes;
  #isFirst = true;
  #isOver = false;
  #turn: NodeJS.Immediate | undefined = undefined;
  #onRead: (() => void) | undefined = undefined;
  #texts: string[] = [];

  /**
   * @param onFault called once, with a CallError `bad_request` if the body is not UTF-8, or a JsonSyntaxError. Then
   * nothing more is read.
   */
  constructor(maxValues: number, keepsText: boolean, onFault: (error: unknown) => void) {
    this.#reader = new JsonReader({ maxValues, keepsSpans: keepsText });
    this.#keepsText = keepsText;
    this.#onFault = onFault;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isOver;) {
      const copied = chunk.copy(this.#last, this.#filled, at);
      this.#filled += copied;
      at += copied;
      if (this.#filled === pieceBytes) this.#push();
    }
  }

  /** @param onRead called when everything that was written is read, in a later turn of the event loop */
  end(onRead: () => void): void {
    this.#onRead = onRead;
    this.#push();
  }

  /** Whether so much waits to be read that the sender should pause. */
  get isFull(): boolean {
    return this.#pieces.length >= maxWaiting;
  }

  /** @param onRoom called once, when the body is no longer {@link isFull} or is not read any further */
  awaitRoom(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  /** The document. @throws JsonSyntaxError if the text is incomplete */
  result(): JsonSource {
    const texts = this.#texts;
    this.drop();
    const { spans } = this.#reader;
    return new LongSource(this.#reader.end(), texts, spans);
  }

  /** Nothing more is read. */
  drop(): void {
    this.#isOver = true;
    this.#pieces.length = 0;
    this.#spare.length = 0;
    this.#texts = [];
    clearImmediate(this.#turn);
    this.#tellRoom();
  }

  #tellRoom(): void {
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }

  #push(): void {
    this.#pieces.push(this.#last.subarray(0, this.#filled));
    this.#last = this.#onRead === undefined ? (this.#spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)) : noBytes;
    this.#filled = 0;
    this.#turn ??= setImmediate(this.#readPieces);
  }

  readonly #readPieces = (): void => {
    this.#turn = undefined;
    const until = performance.now() + turnMs;
    try {
      do {
        const piece = this.#pieces.shift();
        if (piece === undefined) break;
        this.#read(piece, this.#pieces.length === 0 && this.#onRead !== undefined);
        if (piece.length === pieceBytes) this.#spare.push(piece);
      } while (performance.now() < until);
    } catch (error) {
      this.drop();
      return this.#onFault(error);
    }
    if (!this.isFull) this.#tellRoom();
    if (this.#pieces.length > 0) this.#turn = setImmediate(this.#readPieces);
    else this.#onRead?.();
  };

  #read(piece: Buffer, isLast: boolean): void {
    const all = this.#cut.length === 0 ? piece : Buffer.concat([this.#cut, piece]);
    const end = isLast ? all.length : all.length - cutBytes(all);
    const bytes = all.subarray(0, end);
    // A copy: the piece is filled again.
    this.#cut = end === all.length ? noBytes : Buffer.from(all.subarray(end));
    if (!isUtf8(bytes)) throw new CallError("bad_request", "The body is not UTF-8.");
    const text = decodeUtf8(bytes, this.#isFirst);
    this.#isFirst = false;
    this.#reader.write(text);
    if (this.#keepsText) this.#texts.push(text);
  }
}

const noBytes = Buffer.alloc(0);

/**
 * The pieces of the text are put together only on request: many replies are read without their text. One is added to
 * the other, because the engine then copies them only if the characters of the result are read; `join` always copies.
 */
class LongSource implements JsonSource {
  readonly value: unknown;
  readonly refusals: JsonSource["refusals"];
  readonly #texts: readonly string[];
  readonly #spans: JsonReader["spans"];

  constructor({ value, refusals }: JsonDocument, texts: readonly string[], spans: JsonReader["spans"]) {
    this.value = value;
    this.refusals = refusals;
    this.#texts = texts;
    this.#spans = spans;
  }

  get text(): string {
    return this.#slice(0, Infinity);
  }

  textOf(value: object): string | undefined {
    const span = this.#spans?.get(value);
    return span === undefined ? undefined : this.#slice(span.start, span.end);
  }

  #slice(start: number, end: number): string {
    let sliced = "";
    let at = 0;
    for (const text of this.#texts) {
      if (at >= end) break;
      sliced += text.slice(Math.max(start - at, 0), end - at);
      at += text.length;
    }
    return sliced;
  }
}

/** @param isFirst a byte order mark may come first, and is skipped */
function decodeUtf8(bytes: Buffer, isFirst: boolean): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return bytes.toString("utf8", isFirst && hasByteOrderMark(bytes) ? 3 : 0);
}

export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The number of bytes at the end that belong to an incomplete character. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
