import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { answersIn, openSocket } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { ask, call, counters, expectAlive, residentBytes, sharedService } from "./service.ts";

const service = sharedService();

/** Sends each body to the tool, and expects this status and code and no run. */
async function expectRefused(
  bodies: ReadonlyArray<string | Uint8Array>,
  status: number,
  code: string,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const { typed } = await counters(service());
  for (const body of bodies) {
    const answer = await call(service(), "typed", body, headers);
    const what = body.toString().slice(0, 80);
    expect({ what, status: answer.status, code: answer.code }).toEqual({ what, status, code });
  }
  expect((await counters(service()))["typed"]).toBe(typed);
  await expectAlive(service());
}

fault("J1", "malformed JSON is 400 and runs nothing; an empty body is {}", async () => {
  const malformed = [
    '{"a":',
    "{",
    "[",
    "nul",
    "{a:1}",
    "{'a':1}",
    '{"a":1,}',
    "[1,]",
    '{"a":01}',
    '{"a":1}{',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a":NaN}',
    '{"a" 1}',
    "/**/{}",
    " ",
    '"',
    "{\u00a0}",
    '{"a":"\\u12"}',
    '{"a":1}\0',
  ];
  await expectRefused(malformed, 400, "bad_request");
  expect(await call(service(), "echo", "")).toMatchObject({ status: 200, body: { result: {} } });
});

fault("J2", "a duplicate key is 400, nested and escaped too", async () => {
  await expectRefused(
    ['{"a":1,"a":2}', '{"o":{"a":1,"a":1}}', '{"a":1,"\\u0061":2}', '{"x":[{"":0,"":0}]}'],
    400,
    "bad_request",
  );
});

fault("J3", "__proto__ is 400 in any spelling and changes no prototype; a field named constructor works", async () => {
  await expectRefused(
    ['{"__proto__":{"admin":1}}', '{"\\u005f_proto__":{"admin":1}}', '{"a":[{"__proto__":null}]}'],
    400,
    "bad_request",
  );
  const good = '{"constructor":"x","o":{"constructor":{"prototype":{"admin":1}}}}';
  expect((await call(service(), "typed", good)).body.result).toEqual(JSON.parse(good));
  expect((await counters(service()))["polluted"]).toBe(0);
});

fault(
  "J4",
  "a body over the limit is 413 by its length and by its chunks, ends the connection, and fills no memory",
  async () => {
    const before = await residentBytes(service());
    const large = `{"a":"${"x".repeat(1_048_576 - 8)}"}`;
    expect((await call(service(), "echo", large)).status).toBe(200);
    await expectRefused([`${large} `], 413, "body_too_large");
    const head = "POST /tools/typed/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    for (const sent of [
      `${head}content-length: 10000000000\r\n\r\n{`,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(17)}`,
    ]) {
      const raw = await openSocket(service().port);
      const start = performance.now();
      raw.send(sent);
      await raw.closed(5000);
      expect(answersIn(raw.text).map(({ status }) => status)).toEqual([413]);
      expect(performance.now() - start).toBeLessThan(2500);
      raw.socket.destroy();
    }
    expect((await residentBytes(service())) - before).toBeLessThan(80_000_000);
  },
);

fault("J5", "nesting over 64 levels is 400, however deep", async () => {
  const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  expect((await call(service(), "echo", nested(64))).status).toBe(200);
  await expectRefused([nested(65), nested(20_000), "[".repeat(200_000), '{"a":'.repeat(100_000)], 400, "bad_request");
});

fault("J6", "another media type, or one that is written oddly, is 415", async () => {
  for (const type of [
    "text/plain",
    undefined,
    "application/jsonx",
    "application/json;charset=utf-16",
    "application/json; charset=latin1",
    "application/json, text/plain",
    "application/x-www-form-urlencoded",
    "application/json\ta",
    "multipart/form-data; boundary=x",
  ]) {
    await expectRefused(["{}"], 415, "unsupported_media_type", { "content-type": type });
  }
  const twice =
    "POST /tools/typed/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nContent-Type: text/plain\r\ncontent-length: 2\r\n\r\n{}";
  expect((await ask(service(), twice)).code).toBe("bad_request");
  for (const type of ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']) {
    expect((await call(service(), "echo", "{}", { "content-type": type })).status).toBe(200);
  }
});

fault("J7", "a byte order mark is skipped, and what is not UTF-8 is 400", async () => {
  expect((await call(service(), "echo", Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).body.result).toEqual({});
  const bytes = (...middle: number[]): Buffer =>
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from(middle), Buffer.from('"}')]);
  await expectRefused(
    [
      bytes(0xff),
      bytes(0xc0, 0xaf),
      bytes(0xed, 0xa0, 0x80),
      bytes(0xe2, 0x82),
      bytes(0xf5, 0x80, 0x80, 0x80),
      Buffer.from("\ufeff{}", "utf16le"),
    ],
    400,
    "bad_request",
  );
});

fault("J8", "an unpaired surrogate is taken, and comes back as U+FFFD", async () => {
  const answer = await call(service(), "echo", '{"a":"\\ud800","\\udfff":1}');
  // The client of these tests reads bytes.
  const result = Buffer.from(JSON.stringify(answer.body.result), "latin1").toString("utf8");
  expect(JSON.parse(result)).toEqual({ a: "\ufffd", "\ufffd": 1 });
  await expectAlive(service());
});

fault("J9", "numbers that cannot be held are 400, and multipleOf is exact", async () => {
  await expectRefused(
    ['{"count":1e400}', '{"count":-1e999}', '{"count":9007199254740993}', '{"x":[-12345678901234567891]}'],
    400,
    "bad_request",
  );
  expect((await call(service(), "typed", '{"price":19.99,"count":9007199254740991}')).body.result).toEqual({
    price: 19.99,
    count: 9_007_199_254_740_991,
  });
  expect((await call(service(), "typed", '{"price":19.999}')).code).toBe("invalid_arguments");
});

fault("J10", "a compressed body is 415, by either header, and never unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, "["), { level: 9 });
  for (const encoding of ["gzip", "deflate", "br", "zstd", "identity", "gzip, gzip"]) {
    await expectRefused([bomb, "{}"], 415, "unsupported_media_type", { "content-encoding": encoding });
  }
  const chunked = "2\r\n{}\r\n0\r\n\r\n";
  await expectRefused([chunked], 415, "unsupported_media_type", {
    "transfer-encoding": "gzip, chunked",
    "content-length": undefined,
  });
});

fault("J11", "a megabyte of keys or items is read at once, and at most 20 issues are told", async () => {
  const keys = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]));
  const items = { items: Array.from({ length: 100_000 }, () => 1) };
  const start = performance.now();
  expect((await call(service(), "typed", keys)).status).toBe(200);
  const refused = await call(service(), "typed", items);
  expect(performance.now() - start).toBeLessThan(4000);
  expect(refused.code).toBe("invalid_arguments");
  expect(refused.body.error?.issues?.length).toBeLessThanOrEqual(20);
  await expectAlive(service());
});
