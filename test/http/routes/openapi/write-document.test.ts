import fc from "fast-check";
import { expect, test } from "vitest";
import { inTurns } from "../../../../src/async/in-turns.ts";
import { writeDocument } from "../../../../src/http/routes/openapi/write-document.ts";

test("a document is written as JSON.stringify writes it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), async (document) => {
      expect(await writeDocument(document)).toBe(JSON.stringify(document));
    }),
  );
  expect(await writeDocument({ a: undefined, b: { c: undefined, d: {} } })).toBe('{"b":{"d":{}}}');
});

test("other work runs between items that take long", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("other work"));
  await inTurns(["first", "second"], (item) => {
    order.push(item);
    const until = performance.now() + 25;
    while (performance.now() < until);
  });
  expect(order).toEqual(["first", "other work", "second"]);
});
