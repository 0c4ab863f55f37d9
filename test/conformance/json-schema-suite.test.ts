import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { subschemas } from "../../src/schema/walk.ts";
import { type Check, createCheck } from "../../src/schema/check.ts";
import { createRegistry, invoke, type JsonObject, type JsonSchema } from "../../src/index.ts";
import { runs, sampleOf, sizeOf } from "../runs.ts";

/** The official JSON Schema test suite, with the tests that ajv itself answers otherwise. */
const folder = fileURLToPath(new URL("../../../shared/corpus/json-schema-test-suite/", import.meta.url));
const present = existsSync(folder) || process.env["CI"] !== undefined; // where CI runs it must be there
if (!present) console.warn(`The JSON Schema test suite is skipped: ${folder} is not there.`);

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(folder + path, "utf8"));

const drafts = [
  { name: "draft2020-12", uri: "https://json-schema.org/draft/2020-12/schema", defs: "$defs" },
  { name: "draft7", uri: "http://json-schema.org/draft-07/schema#", defs: "definitions" },
];

/** The schemas of these name a dialect of the suite's own, which the contract has refused (section 2). */
const refused = [
  "schema that uses custom metaschema with with no validation vocabulary",
  "ignore unrecognized optional vocabulary",
];

/** Toolhost takes no document from elsewhere, so the suite's are put inside the schema, each with its URL as `$id`. */
const remotes = new Map<string, JsonSchema>();
if (present) {
  for (const path of readdirSync(`${folder}remotes`, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".json")) remotes.set(`http://localhost:1234/${path}`, readJson(`remotes/${path}`) as JsonSchema);
  }
}

describe.skipIf(!present).each(drafts)("the JSON Schema test suite of $name", ({ name, uri, defs }) => {
  const known = new Set(
    present
      ? (readJson("ajv-known-failures.json") as Record<string, string[][]>)[`${name}/formats`]?.map((entry) =>
          entry.slice(0, 3).join(" > "),
        )
      : [],
  );
  const files = present
    ? readdirSync(`${folder}tests/${name}`, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".json"))
        .sort()
    : [];
  const groups = files.flatMap((file) =>
    (readJson(`tests/${name}/${file}`) as Group[]).map((group) => ({ file, group })),
  );

  it("is answered otherwise only where ajv is known to", () => {
    let tests = 0;
    const failures: string[] = [];
    for (const { file, group } of sampleOf(groups, 3)) {
      const check = checkOf(withRemotes(group.schema, uri, defs));
      if (refused.includes(group.description)) {
        expect(check).toBeUndefined();
        continue;
      }
      for (const { description, data, valid } of group.tests) {
        tests++;
        if (check?.accepts(data) !== valid) failures.push([file, group.description, description].join(" > "));
      }
    }
    const news = failures.filter((failure) => !known.has(failure));
    console.info(
      `${name}: ${tests} tests, ${failures.length} answered otherwise, ${news.length} of them not known of ajv`,
    );
    expect(tests).toBeGreaterThan(sizeOf(1500, 400));
    expect(news).toEqual([]);
  });

  it("is answered the same where the schema is not trusted, unless that is refused", () => {
    const reasons = new Map<string, number>();
    let compared = 0;
    for (const { group } of sampleOf(groups, 10)) {
      const trusted = checkOf(withRemotes(group.schema, uri, defs));
      if (trusted === undefined) continue;
      const { check, reason } = foreignCheckOf(withRemotes(group.schema, uri, defs));
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      for (const { description, data } of check === undefined ? [] : group.tests) {
        const place = [group.description, description];
        expect([...place, check?.accepts(data)]).toEqual([...place, trusted.accepts(data)]);
        compared++;
      }
    }
    console.info(`${name}: ${compared} compared, refused: ${JSON.stringify([...reasons])}`);
    expect(compared).toBeGreaterThan(runs(1200));
  });

  it("says the same as the result of a tool, and the findings as the verdict", async () => {
    let compared = 0;
    for (const { group } of sampleOf(
      groups.filter((_, index) => index % 7 === 0),
      3,
    )) {
      const response = withRemotes(group.schema, uri, defs);
      const check = checkOf(response);
      if (check === undefined) continue;
      const data = group.tests.map((test) => test.data);
      const parameters = { type: "object" };
      const execute = ({ index }: JsonObject) => data[Number(index)];
      const registry = createRegistry({
        tools: [{ name: "t", description: "d", parameters, response, execute }],
      });
      for (const [index, datum] of data.entries()) {
        const outcome = await invoke(registry, { name: "t", arguments: { index } });
        expect(outcome.status === "ok" || outcome.error.code).toBe(check.accepts(datum) || "invalid_result");
        expect(check.findings(datum).length === 0).toBe(check.accepts(datum));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(sizeOf(150, 40));
  });
});

function checkOf(schema: JsonSchema): Check | undefined {
  try {
    return createCheck(schema);
  } catch {
    return undefined;
  }
}

function foreignCheckOf(schema: JsonSchema): { check?: Check; reason?: string } {
  try {
    return { check: createCheck(schema, { trusted: false }) };
  } catch (error) {
    return { reason: (error as Error).message.replace(/ at \/.*?(?= (?:has|leaves)|$)/, "") };
  }
}

/** The schema under its draft's name, with every document that it or they refer to inside. */
function withRemotes(schema: JsonSchema, uri: string, defs: string): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const found = new Map<string, JsonSchema>();
  collect(schema, typeof schema["$id"] === "string" ? schema["$id"] : "");
  const whole: JsonObject = { $schema: uri, ...schema };
  if (found.size === 0) return whole;
  const documents = [...found].map(([url, remote], index) => [`remote ${index}`, inside(remote, url)] as const);
  whole[defs] = { ...(whole[defs] as JsonObject | undefined), ...Object.fromEntries(documents) };
  return whole;

  function collect(node: JsonObject, base: string): void {
    const here = typeof node["$id"] === "string" ? resolve(node["$id"], base) : base;
    for (const keyword of ["$ref", "$dynamicRef"]) {
      if (typeof node[keyword] === "string") take(resolve(node[keyword], here).replace(/#.*$/, ""));
    }
    for (const { schema: child } of subschemas(node)) if (typeof child === "object") collect(child, here);
  }

  function take(url: string): void {
    const remote = remotes.get(url);
    if (remote === undefined || found.has(url)) return;
    found.set(url, remote);
    if (typeof remote === "object") collect(remote, url);
  }
}

/** ajv runs in a circle where a document inside another has `$ref` at its root, so that goes one level down. */
function inside(remote: JsonSchema, url: string): JsonObject {
  const { $ref, ...rest } = typeof remote === "boolean" ? { allOf: [remote] } : (remote as JsonObject);
  const $id = typeof rest["$id"] === "string" ? resolve(rest["$id"], url) : url;
  const document: JsonObject = { ...rest, ...($ref !== undefined && { allOf: [{ $ref }] }), $id };
  // Where the document calls itself something else, its URL leads to it.
  return $id === url ? document : { $id: url, allOf: [{ $ref: $id }], $defs: { document } };
}

function resolve(reference: string, base: string): string {
  return URL.canParse(reference, base === "" ? undefined : base)
    ? new URL(reference, base === "" ? undefined : base).href
    : reference;
}
