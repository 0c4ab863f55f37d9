import fc from "fast-check";
import { expect, it } from "vitest";
import { listenWith } from "../http/listening-app.ts";
import { faultOf } from "./answer-faults.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { fuzzedTools, secretOfTools } from "./fuzzed-app.ts";
import { createKeepAlive } from "./keep-alive.ts";
import { arePrototypesChanged } from "./prototypes.ts";

const tokenCharacters = "!#$%&'*+-.^_`|~09azAZ";
const names = fc.oneof(
  fc.constantFrom(
    ..."accept accept-encoding authorization content-type content-encoding connection cookie date".split(" "),
    ..."expect host Host if-match if-none-match idempotency-key keep-alive origin prefer te".split(" "),
    ..."range toolhost-session traceparent tracestate trailer upgrade x-forwarded-for x-request-id".split(" "),
    ..."__proto__ constructor toString hasOwnProperty baggage x-http-method-override forwarded".split(" "),
  ),
  fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 1, maxLength: 12 }),
);
const values = fc.oneof(
  fc.constantFrom(
    ..."application/json text/plain */* gzip;q=0".split(" "),
    "",
    "application/json; charset=utf-8",
    "application/json\ta",
    ..."text/event-stream 100-continue 200-ok close keep-alive".split(" "),
    "text/event-stream, application/json;q=0.5",
    ..."upgrade websocket h2c Bearer 127.0.0.1 localhost:1 evil.example null *".split(" "),
    "Bearer x",
    '"',
    ..."http://127.0.0.1 https://evil.example respond-async return=minimal chunked".split(" "),
    "respond-async, wait=5",
    ..."00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 00-0-0-0 bytes=0-1 identity".split(" "),
    'W/"x", "y"',
  ),
  fc.string({ unit: "binary-ascii", maxLength: 30 }).map(withoutControls),
  fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
  fc.integer({ min: 100, max: 20_000 }).map((length) => "v".repeat(length)),
);
const lists = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.tuple(names, values), { maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(fc.tuple(names, fc.constant("1")), { minLength: 90, maxLength: 130, size: "max" }) },
);
const lines = fc.constantFrom(
  "POST /tools/echo/invoke",
  "POST /tools/picky/invoke",
  "POST /calls",
  "GET /tools",
  "GET /tools/echo",
  "GET /livez",
);

it(
  "any headers get an answer of the contract",
  async () => {
    const { port } = await listenWith(fuzzedTools, { hosts: "loopback" });
    const connection = createKeepAlive(port);
    const asked = fc.asyncProperty(lines, lists, fc.boolean(), async (line, headers, isHostSent) => {
      const body = line.startsWith("GET") ? "" : "{}";
      const host = isHostSent ? "host: 127.0.0.1\r\n" : "";
      const text = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      const request = `${line} HTTP/1.1\r\n${host}${text}content-length: ${body.length}\r\n\r\n${body}`;
      const [answer] = await connection.exchange([Buffer.from(request, "latin1")]);
      expect(faultOf(answer!, [secretOfTools]), JSON.stringify(request.slice(0, 1000))).toBe(undefined);
    });
    await assertFuzzed("headers", asked, { commit: 800, nightly: 50_000 });
    connection.close();
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

/** Bytes that would end the header, or that HTTP refuses in it. */
function withoutControls(text: string): string {
  return [...text].filter((character) => character >= " " && character !== "\x7f").join("");
}
