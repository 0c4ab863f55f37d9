import { gunzipSync } from "node:zlib";

/** An answer as it stood on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the answer was to a HEAD request. */
  readonly body: string | undefined;
  /** The connection ended before the body did. */
  readonly isCut: boolean;
}

export interface WireAnswers {
  readonly answers: readonly WireAnswer[];
  /** Bytes after the last complete answer. */
  readonly left: number;
}

interface ReadOptions {
  /** Nothing more will come. */
  readonly ended: boolean;
  /** A HEAD request may be among those that were sent: its answer has a length and no body. */
  readonly mayBeHead: boolean;
}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;
const nextAnswer = Buffer.from("HTTP/1.");
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads HTTP/1.1 answers (RFC 9112) and forgives nothing. Answers with a status of 1xx are read and left out.
 * @throws Error where the bytes are no answers
 */
export function readAnswers(bytes: Buffer, options: ReadOptions): WireAnswers {
  const answers: WireAnswer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    if (headEnd === -1) return { answers, left: bytes.length - at };
    const { status, headers } = readHead(bytes.toString("latin1", at, headEnd));
    const rest = bytes.subarray(headEnd + 4);
    if (status < 200) {
      at = headEnd + 4;
      continue;
    }
    const { body, length, isCut } = readBody(status, headers, rest, options);
    if (length === undefined) return { answers, left: bytes.length - at };
    answers.push({ status, headers, body: body && readText(headers, body, isCut), isCut });
    at = headEnd + 4 + length;
  }
}

function readHead(text: string): { status: number; headers: Record<string, string> } {
  const [first = "", ...lines] = text.split("\r\n");
  const status = statusLine.exec(first)?.[1];
  if (status === undefined) throw new Error(`This is no status line: ${JSON.stringify(first.slice(0, 100))}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined) throw new Error(`This is no header: ${JSON.stringify(line.slice(0, 100))}`);
    const key = name.toLowerCase();
    if (key in headers) throw new Error(`The answer has two ${key} headers.`);
    headers[key] = value?.trim() ?? "";
  }
  return { status: Number(status), headers };
}

function readText(headers: Record<string, string>, body: Buffer, isCut: boolean): string {
  if (isCut) return body.toString();
  return utf8.decode(headers["content-encoding"] === "gzip" && body.length > 0 ? gunzipSync(body) : body);
}

interface Body {
  readonly body?: Buffer | undefined;
  /** Bytes on the wire; undefined where more must come. */
  readonly length: number | undefined;
  readonly isCut: boolean;
}

const unfinished: Body = { length: undefined, isCut: false };
const empty: Body = { body: Buffer.alloc(0), length: 0, isCut: false };
const toHead: Body = { body: undefined, length: 0, isCut: false };

function readBody(status: number, headers: Record<string, string>, rest: Buffer, options: ReadOptions): Body {
  if (status === 204 || status === 304) return empty;
  const { "content-length": declared, "transfer-encoding": coding } = headers;
  if (declared !== undefined && coding !== undefined) throw new Error("The answer has a length and a coding.");
  if (options.mayBeHead && isBodyAbsent(rest, options.ended)) return toHead;
  if (coding !== undefined) return readChunks(rest, options.ended);
  if (declared === undefined) return options.ended ? { body: rest, length: rest.length, isCut: false } : unfinished;
  if (!/^\d+$/.test(declared)) throw new Error(`The answer's length is ${declared}.`);
  const length = Number(declared);
  if (rest.length >= length) return { body: rest.subarray(0, length), length, isCut: false };
  return options.ended ? { body: rest, length: rest.length, isCut: true } : unfinished;
}

/** No body of ours begins like a status line. */
function isBodyAbsent(rest: Buffer, ended: boolean): boolean {
  return rest.length === 0 ? ended : rest.subarray(0, nextAnswer.length).equals(nextAnswer);
}

function readChunks(rest: Buffer, ended: boolean): Body {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd === -1) break;
    const size = rest.toString("latin1", at, lineEnd);
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) throw new Error(`The answer has a chunk of size ${JSON.stringify(size)}.`);
    const start = lineEnd + 2;
    const end = start + parseInt(size, 16);
    if (rest.length < end + 2) break;
    if (rest.toString("latin1", end, end + 2) !== "\r\n") throw new Error("A chunk is longer than it says.");
    if (end === start) return { body: Buffer.concat(parts), length: end + 2, isCut: false };
    parts.push(rest.subarray(start, end));
    at = end + 2;
  }
  return ended ? { body: Buffer.concat(parts), length: rest.length, isCut: true } : unfinished;
}
