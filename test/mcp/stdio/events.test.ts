import { expect, it } from "vitest";
import { eventsOf } from "../../../src/mcp/stdio/events.ts";
import { cpuMs } from "../../cpu-time.ts";

async function read(chunks: readonly string[]): Promise<string[]> {
  const events: string[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  for await (const event of eventsOf(body())) events.push(event);
  return events;
}

it("reads events however they are cut", async () => {
  const text = ': comment\n\nevent: message\r\ndata: {"a":1}\r\n\r\ndata:one\ndata:  two\n\nid: 3\n\ndata: never ends';
  for (const length of [1, 2, 3, 7, 1000]) {
    const chunks = text.match(new RegExp(`[^]{1,${length}}`, "g"))!;
    expect(await read(chunks)).toEqual(['{"a":1}', "one\n two"]);
  }
});

it("reads a long event in time that grows with its length alone", async () => {
  const start = cpuMs();
  const piece = "x".repeat(4096);
  const [event] = await read(["data: ", ...Array<string>(4096).fill(piece), "\n\n"]);
  expect(event).toHaveLength(16_777_216);
  expect(cpuMs() - start).toBeLessThan(2000);
});
