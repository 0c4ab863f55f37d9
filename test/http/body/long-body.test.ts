import fc from "fast-check";
import { expect, it } from "vitest";
import { CallError } from "../../../src/errors/errors.ts";
import { type JsonSource, JsonSyntaxError, TooManyValues } from "../../../src/json/parse.ts";
import { LongBody } from "../../../src/http/body/long-body.ts";
import { runs, sizeOf } from "../../runs.ts";

/** What a body comes to that is handed over in chunks of these lengths, over and over. */
function readInChunks(bytes: Buffer, lengths: readonly number[], maxValues = Infinity): Promise<JsonSource> {
  return new Promise((resolve, reject) => {
    const body = new LongBody(maxValues, true, reject);
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const length = lengths[turn % lengths.length]!;
      body.write(bytes.subarray(at, at + length));
      at += length;
    }
    body.end(() => {
      try {
        resolve(body.result());
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

const characters = fc.array(fc.constantFrom("a", "é", "語", "😀", "\\u0041", "\\n", '\\"', "\\\\"), {
  minLength: 1,
  maxLength: 9,
});
const chunkLengths = fc.array(fc.integer({ min: 1000, max: 90_000 }), { minLength: 1, maxLength: 4 });
const lengths = fc.integer({ min: 60_000, max: 200_000 });

it("is the same in whatever chunks it comes, with characters and escapes on every border", async () => {
  const property = fc.asyncProperty(characters, lengths, chunkLengths, async (unit, length, chunks) => {
    const text = `{"a":"${unit.join("").repeat(Math.ceil(length / unit.join("").length))}","b":[1,{}]}`;
    const source = await readInChunks(Buffer.from(text), chunks);
    expect(source.text === text).toBe(true);
    expect(JSON.stringify(source.value) === JSON.stringify(JSON.parse(text))).toBe(true);
  });
  await fc.assert(property, { numRuns: runs(150) });
});

it("has the text of each object and list, in however many pieces it came", async () => {
  const units = ["a", "\\n", "語", "😀", " "];
  const members = units.map((unit, index) => `"${index}" : {"long":"${unit.repeat(70_000)}", "list":[ ${index} ]}`);
  const text = `{${members.join(" , ")}}`;
  const source = await readInChunks(Buffer.from(text), [50_000]);
  const root = source.value as Record<string, { readonly long: string; readonly list: object }>;
  expect(source.textOf!(root) === text).toBe(true);
  units.forEach((unit, index) => {
    const { [index]: value } = root;
    expect(source.textOf!(value!) === members[index]!.slice(6)).toBe(true);
    expect(source.textOf!(value!.list)).toBe(`[ ${index} ]`);
    expect(value!.long === JSON.parse(`"${unit.repeat(70_000)}"`)).toBe(true);
  });
  expect(source.textOf!({})).toBeUndefined();
});

it.each(["\n", "\0", "\x1f", "\\"])("refuses %j inside a long string, wherever it is", async (character) => {
  for (const before of [0, 65_533, 65_534, 70_000, 131_070]) {
    const text = `["${"x".repeat(before)}${character} ${"x".repeat(140_000)}"]`;
    await expect(readInChunks(Buffer.from(text), [65_536])).rejects.toThrow(JsonSyntaxError);
  }
});

it("skips a byte order mark at its start alone", async () => {
  const mark = "\ufeff";
  const text = `["${"x".repeat(70_000)}${mark}"]`;
  expect((await readInChunks(Buffer.from(mark + text), [1])).text === text).toBe(true);
  await expect(readInChunks(Buffer.from(text + mark), [65_536])).rejects.toThrow(JsonSyntaxError);
});

it.each([
  ["a byte that no character begins with", [0xff]],
  ["a character that is cut off", [0xe8, 0xaa]],
  ["a character in more bytes than it takes", [0xc0, 0xaf]],
  ["half a pair", [0xed, 0xa0, 0x80]],
  ["bytes that only go on", [0x80, 0x80, 0x80, 0x80]],
])("refuses %s, wherever the border is", async (_name, fault) => {
  for (const before of [10, 65_531, 65_532, 65_533, 65_534, 65_535, 131_069]) {
    const bytes = Buffer.concat([Buffer.from(`["${"x".repeat(before)}`), Buffer.from(fault), Buffer.from('"]')]);
    await expect(readInChunks(bytes, [70_000])).rejects.toThrow("The body is not UTF-8.");
  }
});

it("refuses a character that the end cuts off", async () => {
  const fault = readInChunks(Buffer.concat([Buffer.from(`["${"x".repeat(65_532)}`), Buffer.from([0xe8])]), [1]);
  await expect(fault).rejects.toBeInstanceOf(CallError);
});

it("says that there are too many values before all of it is here", async () => {
  const faults: unknown[] = [];
  const body = new LongBody(100, false, (error) => faults.push(error));
  body.write(Buffer.from(`[${"{},".repeat(30_000)}`));
  while (faults.length === 0) await new Promise(setImmediate);
  expect(faults).toEqual([expect.any(TooManyValues)]);
});

it("lets others have their turn while a long one is read", async () => {
  const reading = readInChunks(Buffer.from(`[${'{"a":[]},'.repeat(sizeOf(199_000, 60_000))}{}]`), [16_777_216]);
  let turns = 0;
  let isRead = false;
  void reading.then(() => (isRead = true));
  for (; !isRead; turns++) await new Promise(setImmediate);
  expect(turns).toBeGreaterThan(3);
});

it("asks its sender to wait while much is unread, and tells when there is room", async () => {
  const body = new LongBody(Infinity, true, () => {});
  expect(body.isFull).toBe(false);
  body.write(Buffer.from(`["${"x".repeat(2_000_000)}`));
  expect(body.isFull).toBe(true);
  await new Promise<void>((resolve) => body.awaitRoom(resolve));
  expect(body.isFull).toBe(false);
});

it.each([
  ["is dropped", (body: LongBody) => body.drop()],
  ["cannot be read", () => {}],
])("lets its sender go on if it %s", async (_name, end) => {
  const body = new LongBody(Infinity, true, () => {});
  body.write(Buffer.from(`]${" ".repeat(2_000_000)}`));
  const told = new Promise<void>((resolve) => body.awaitRoom(resolve));
  end(body);
  await told;
  expect(body.isFull).toBe(false);
});

it("puts its text together if it is asked for, as often as it is", async () => {
  const text = `["${"語😀".repeat(60_000)}"]`;
  const source = await readInChunks(Buffer.from(text), [65_537]);
  for (let turn = 0; turn < 2; turn++) expect(source.text === text).toBe(true);
});
