import type { Random } from "../conformance/instances.ts";

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const crlf = "\r\n";
const tokens = [
  ...": ; , { } [ 0 -1".split(" "),
  "\0",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  "\t",
  '"',
  "\\",
  "\x7f",
  "\xff",
  ..."HTTP/1.1 HTTP/1.0 HTTP/9.9 chunked identity __proto__ %00 ../".split(" "),
  "GET / HTTP/1.1\r\n\r\n",
];
const headers = [
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 1e9",
  "Content-Length: 99999999999999999999",
  "Content-Length: 4, 4",
  "Content-Length : 2",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: xchunked",
  "Host: other",
  "Host:",
  "Connection: close",
  "Connection: keep-alive, Upgrade",
  "Expect: 100-continue",
  "Expect: 200-ok",
  "Upgrade: h2c",
  "Authorization: Bearer a",
  "Content-Type: text/plain",
  "Content-Encoding: br",
  "__proto__: x",
  "Accept: text/event-stream",
  " folded: x",
  "no colon",
  ": no name",
  "Bad\0Name: x",
  "X-Bad: \x01",
  `X-Long: ${"x".repeat(17_000)}`,
];
const chunkSizes = [
  "",
  "-1",
  "0x5",
  "5 ",
  " 5",
  "fffffffffffffffff",
  "7fffffff",
  "0",
  "00000000000000002",
  "g",
  "2;a=\x00",
  "2\n",
];

/** What may happen to a request on its way, or be done to it on purpose. */
const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const flipped = Buffer.from(bytes);
    for (let left = 1 + below(random, 3); left > 0; left--) {
      const at = below(random, bytes.length);
      flipped[at] = flipped[at]! ^ (1 << below(random, 8));
    }
    return flipped;
  },
  (bytes, random) => replace(bytes, below(random, bytes.length), 0, Buffer.from(pick(tokens, random), "latin1")),
  (bytes, random) => replace(bytes, below(random, bytes.length), 1, Buffer.from([below(random, 256)])),
  (bytes, random) => replace(bytes, below(random, bytes.length), 1 + below(random, 8)),
  function doubleAPart(bytes, random) {
    const at = below(random, bytes.length);
    return replace(bytes, at, 0, bytes.subarray(at, at + 1 + below(random, 40)));
  },
  (bytes, random) => bytes.subarray(0, 1 + below(random, bytes.length)),
  (bytes, random, other) =>
    Buffer.concat([bytes.subarray(0, below(random, bytes.length)), other.subarray(below(random, other.length))]),
  (bytes, _random, other) => Buffer.concat([bytes, other]),
  (bytes, random) => atHeader(bytes, random, Buffer.from(pick(headers, random) + crlf, "latin1")),
  function doubleAHeader(bytes, random) {
    const lines = bytes.toString("latin1").split("\r\n\r\n")[0]!.split(crlf).slice(1);
    return atHeader(bytes, random, Buffer.from(pick(lines.length > 0 ? lines : ["A: b"], random) + crlf, "latin1"));
  },
  (bytes, random) => atHeader(bytes, random, Buffer.from(`X: y${crlf}`.repeat(80 + below(random, 60)))),
  (bytes) => Buffer.from(bytes.toString("latin1").replaceAll(crlf, "\n"), "latin1"),
  function leaveOneBareLineEnd(bytes, random) {
    const ends = [...bytes.toString("latin1").matchAll(/\r\n/g)].map(({ index }) => index);
    return ends.length === 0 ? bytes : replace(bytes, pick(ends, random), below(random, 2) + 1, Buffer.from("\n"));
  },
  function changeALength(bytes, random) {
    const length = pick(
      ["0", "1", "2", "3", "20", "1000000", "1048577", "4294967296", "0x2", "+2", "2 2", "٢"],
      random,
    );
    return Buffer.from(bytes.toString("latin1").replace(/Content-Length: \d+/, `Content-Length: ${length}`), "latin1");
  },
  function changeAChunkSize(bytes, random) {
    const size = pick(chunkSizes, random);
    const text = bytes.toString("latin1").replace(/\r\n[0-9a-f]+((?:;name=value)?\r\n)/, `\r\n${size}$1`);
    return Buffer.from(text, "latin1");
  },
  (bytes, random) => replace(bytes, below(random, bytes.length), 0, Buffer.alloc(1 + below(random, 20_000), 0x61)),
  (bytes, random) => replace(bytes, below(random, 30), 0, Buffer.alloc(1 + below(random, 70_000), 0x2f)),
  (bytes) => Buffer.concat([Buffer.from(crlf), bytes]),
  (bytes) => bytes,
];

/** One to three mutations; rarely none. */
export function mutate(bytes: Buffer, random: Random, other: Buffer): Buffer {
  let mutated = bytes;
  for (let left = 1 + below(random, 3); left > 0; left--) {
    mutated = pick(mutations, random)(mutated, random, other);
    if (mutated.length === 0) return bytes;
  }
  return mutated;
}

/** The bytes in order, as a network may hand them over. */
export function segmentsOf(bytes: Buffer, random: Random): Buffer[] {
  const segments: Buffer[] = [];
  const cuts = random() < 0.6 ? 0 : 1 + below(random, 5);
  let at = 0;
  for (let left = cuts; left > 0 && at < bytes.length; left--) {
    const end = at + 1 + below(random, Math.max(1, bytes.length - at));
    segments.push(bytes.subarray(at, end));
    at = end;
  }
  if (at < bytes.length) segments.push(bytes.subarray(at));
  return segments;
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[below(random, items.length)]!;
}

function replace(bytes: Buffer, at: number, count: number, insertion: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([bytes.subarray(0, at), insertion, bytes.subarray(at + count)]);
}

/** Puts lines after the request line or after one of the headers. */
function atHeader(bytes: Buffer, random: Random, lines: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const head = text.indexOf("\r\n\r\n");
  const ends = [...text.slice(0, head === -1 ? undefined : head + 2).matchAll(/\r\n/g)].map(({ index }) => index + 2);
  return ends.length === 0 ? bytes : replace(bytes, pick(ends, random), 0, lines);
}
