import fc from "fast-check";
import { expect, test } from "vitest";
import type { BodyPlan, RequestPlan } from "../../../src/sources/request/plan.ts";
import { runs } from "../../runs.ts";
import { decodeMultipart, decodePairs } from "../openapi/decoders.ts";
import { asTexts, key, list, members, scalar, startUpstream, tenant, text } from "./sent-values.ts";

const sorted = (pairs: readonly unknown[]) =>
  pairs.map((pair) => JSON.stringify(pair)).toSorted((a, b) => (a < b ? -1 : 1));
const property = (name: string) => [name, name] as const;

function bodyPlan(kind: BodyPlan["kind"], mediaType: string): RequestPlan {
  const from = { properties: [property("value"), property("file"), property("tags")], takesOthers: true };
  const body: BodyPlan = { kind, mediaType, from, isRequired: true, encoding: { file: { isFile: true } } };
  return { method: "POST", path: ["/a/z"], parameters: [tenant], body };
}

const args = fc.record({ value: scalar, tags: list(scalar), tenant: text, others: members(key, scalar) });

test("a JSON body arrives as it is", async () => {
  const send = await startUpstream();
  await fc.assert(
    fc.asyncProperty(
      fc.record({ value: fc.jsonValue(), others: members(key, fc.jsonValue()) }),
      async ({ value, others }) => {
        const { body } = await send(bodyPlan("json", "application/json"), { value, tenant: "t", ...others });
        expect(body.toString()).toBe(JSON.stringify({ value, ...others }));
      },
    ),
    { numRuns: runs(100) },
  );
});

test("a form arrives with its pairs", async () => {
  const send = await startUpstream();
  await fc.assert(
    fc.asyncProperty(args, async ({ value, tags, tenant: acme, others }) => {
      const { body } = await send(bodyPlan("form", "application/x-www-form-urlencoded"), {
        value,
        tags,
        tenant: acme,
        ...others,
      });
      const pairs = [["value", value], ...tags.map((tag) => ["tags", tag]), ...Object.entries(others)];
      expect(sorted(decodePairs(body.toString()))).toEqual(sorted(pairs.map(([name, each]) => [name, asTexts(each)])));
    }),
    { numRuns: runs(100) },
  );
});

const escape = (name: string) => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

test("a multipart body arrives with its parts", async () => {
  const send = await startUpstream();
  await fc.assert(
    fc.asyncProperty(args, fc.uint8Array({ maxLength: 100 }), async ({ value, tags, tenant: acme, others }, bytes) => {
      const file = `data:application/x-thing;base64,${Buffer.from(bytes).toString("base64")}`;
      const request = await send(bodyPlan("multipart", "multipart/form-data"), {
        value,
        file,
        tags,
        tenant: acme,
        ...others,
      });
      const parts = decodeMultipart(request.headers["content-type"]!, request.body);
      const sent = parts.filter(({ name }) => name !== "file");
      const pairs = [["value", value], ...tags.map((tag) => ["tags", tag]), ...Object.entries(others)] as [
        string,
        unknown,
      ][];
      expect(sorted(sent.map(({ name, content }) => [name, content.toString()]))).toEqual(
        sorted(pairs.map(([name, each]) => [escape(name), asTexts(each)])),
      );
      const [part] = parts.filter(({ name }) => name === "file");
      expect(part).toMatchObject({ fileName: "file", type: "application/x-thing" });
      expect(Buffer.compare(part!.content, bytes)).toBe(0);
    }),
    { numRuns: runs(100) },
  );
});
