import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { createCallOperation } from "../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials } from "../../../src/sources/credentials/credentials.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { type OpenApiOperation, type ReadOpenApi, readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import type { ParameterPlan } from "../../../src/sources/request/plan.ts";
import { createRandom, instanceOf, type Random } from "../../conformance/instances.ts";
import { decodeMultipart, decodePairs } from "./decoders.ts";
import { type Recorded, startRecording } from "./recording.ts";

const root = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
const present = existsSync(root) || process.env["CI"] !== undefined;
if (!present) console.warn(`The calls of the corpus's operations are skipped: ${root} is not there.`);

const files = (present ? ["openapi", "openapi-people"] : []).flatMap((folder) =>
  readdirSync(root + folder)
    .filter((name) => /\.(?:json|ya?ml)$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1e9);
const samples = 10;
const callsEach = 3;

console.info(`FUZZ_SEED=${seed}: the calls of the corpus's operations`);

describe.skipIf(!present).each(files)("ten operations of %s", (file) => {
  test("arrive where the document says", { timeout: 300_000 }, async () => {
    const read = readOpenApi(readFileSync(root + file, "utf8"), { name: "api", baseUrl: "https://api.example" });
    const random = createRandom(seed);
    const server = await startRecording();
    const upstream = { base: `${server.url}/base`, credentials: createCredentials({}) };
    let sent = 0;
    let refused = 0;
    for (const operation of sample(read.operations, random)) {
      const call = createCallOperation(operation.plan, upstream, { label: operation.path, isRepeatable: false });
      for (const args of argumentsOf(operation, read, random)) {
        const before = server.requests.length;
        const refusal: unknown = await call(args, server.context).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refusal !== undefined) {
          // What has no place in its part of a request, such as an empty path segment.
          refused++;
          expect(refusal).toMatchObject({ code: "invalid_arguments" });
          expect(server.requests).toHaveLength(before);
          continue;
        }
        sent++;
        expectArrived(operation, args, server.requests.at(-1)!);
      }
    }
    expect(sent, `${refused} refused`).toBeGreaterThan(0);
  });
});

function sample(operations: readonly OpenApiOperation[], random: Random): OpenApiOperation[] {
  return operations
    .map((operation) => ({ operation, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, samples)
    .map(({ operation }) => operation);
}

/** Arguments that the tool's own schema accepts. */
function argumentsOf({ parameters, plan }: OpenApiOperation, read: ReadOpenApi, random: Random): JsonObject[] {
  const schema = JSON.parse(assembleSchema(parameters.text, parameters.reaches, read.requestDefinitions)) as JsonObject;
  const check = createCheck(schema, { trusted: false });
  const inHeaders = plan.parameters.filter((each) => each.in === "header").map(({ argument }) => argument);
  const make = (): unknown => {
    const value = instanceOf(schema, random) as JsonObject;
    // A header cannot contain other characters.
    for (const name of inHeaders) {
      const text = value[name];
      if (typeof text === "string") value[name] = text.replaceAll("€", "é");
    }
    return value;
  };
  return Array.from({ length: callsEach * 10 }, make)
    .filter((value): value is JsonObject => check.accepts(value))
    .slice(0, callsEach);
}

function expectArrived(
  { plan, path }: OpenApiOperation,
  args: JsonObject,
  { method, target, headers, body }: Recorded,
) {
  expect(method).toBe(plan.method);
  const [pathname, query = ""] = target.split(/\?(.*)/s);
  const segments = new RegExp(
    `^/base${path
      .split(/[?#]/)[0]!
      .replace(/[.*+^$()|[\]\\]/g, "\\$&")
      .replace(/\{([^{}]*)\}/g, "([^/]*)")}$`,
  );
  const found = segments.exec(pathname!)?.slice(1);
  expect(found, `${pathname} of ${path}`).toBeDefined();
  const inPath = plan.path.filter((part): part is ParameterPlan => typeof part !== "string");
  for (const [index, { argument, style }] of inPath.entries()) {
    const text = scalarText(args[argument]);
    if (style === "simple" && text !== undefined) expect(decodeURIComponent(found![index]!)).toBe(text);
  }
  const pairs = decodePairs(query);
  for (const { argument, name, in: place, style, explode, mediaType } of plan.parameters) {
    const value = args[argument];
    if (value === undefined || value === null || mediaType !== undefined) continue;
    const text = scalarText(value);
    if (place === "header" && text !== undefined) expect(headers[name.toLowerCase()]).toBe(text);
    if (place !== "query" || style !== "form") continue;
    const arrived = pairs.filter(([key]) => key === name).map(([, each]) => each);
    if (text !== undefined) expect(arrived).toEqual([text]);
    else if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
      if (explode) expect(arrived).toEqual(value.map(String));
      else if (value.length > 0) expect(arrived).toEqual([value.map(String).join(",")]);
    }
  }
  if (plan.body === undefined || ["GET", "HEAD"].includes(method)) return expect(body).toHaveLength(0);
  expectBody(plan.body, args, headers["content-type"] ?? "", body);
}

function scalarText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function expectBody(
  { from, kind, isRequired }: NonNullable<OpenApiOperation["plan"]["body"]>,
  args: JsonObject,
  contentType: string,
  body: Buffer,
) {
  const own = "argument" in from ? undefined : from.properties.filter(([argument]) => args[argument] !== undefined);
  const value =
    own === undefined
      ? args[(from as { argument: string }).argument]
      : Object.fromEntries(own.map(([argument, property]) => [property, args[argument]]));
  const isAbsent =
    value === undefined || (own?.length === 0 && !isRequired && !("takesOthers" in from && from.takesOthers));
  if (isAbsent) return expect(body).toHaveLength(0);
  const text = body.toString();
  if (kind === "json")
    return expect({ value: JSON.parse(text) as unknown }).toMatchObject(
      JSON.parse(JSON.stringify({ value })) as object,
    );
  if (kind === "text") return expect(text).toBe(typeof value === "string" ? value : JSON.stringify(value));
  const scalars = Object.entries(value as JsonObject).filter(([, each]) => typeof each === "string");
  if (kind === "form") {
    const pairs = new Map(decodePairs(text));
    for (const [name, each] of scalars) expect(pairs.get(name)).toBe(each);
  }
  if (kind === "multipart") {
    const parts = new Map(decodeMultipart(contentType, body).map(({ name, content }) => [name, content.toString()]));
    for (const [name, each] of scalars) if (!String(each).startsWith("data:")) expect(parts.get(name)).toBe(each);
  }
}
