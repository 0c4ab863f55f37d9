import { expect, it } from "vitest";
import { toResponse } from "../../src/http/http-reply.ts";
import { textReply } from "../../src/http/long-text.ts";

it("is one string if it is short", () => {
  expect(textReply(["[", "1", "]"])).toEqual({
    status: 200,
    headers: { "content-type": "application/json" },
    body: "[1]",
  });
});

it.each([
  ["one byte", "x"],
  ["two bytes", "é"],
  ["pairs", "😀"],
  ["pairs that every border cuts through", "a😀😀"],
])("is the same text in pieces if it is long, with its length in bytes: %s", async (_name, unit) => {
  for (const before of ["", "b"]) {
    const parts = [`["${before}`, "", unit.repeat(300_000), '"]'];
    const reply = textReply(parts);
    const text = parts.join("");
    expect(reply.body).toBeInstanceOf(ReadableStream);
    expect(reply.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect((await toResponse(reply).text()) === text).toBe(true);
  }
});

it("comes in pieces that are bounded, and frees the rest if its reader leaves", async () => {
  const reader = (textReply(["é".repeat(1_000_000)]).body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  expect(value!.length).toBe(131_072);
  await reader.cancel();
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

it("is written in turns with other work, however fast its reader is", async () => {
  let turns = 0;
  let isRead = false;
  const count = (): void => {
    turns++;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const text = await toResponse(textReply(["x".repeat(2_000_000)])).text();
  isRead = true;
  expect(text).toHaveLength(2_000_000);
  expect(turns).toBeGreaterThan(20);
});
