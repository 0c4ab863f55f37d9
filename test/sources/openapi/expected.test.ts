import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { createCallOperation } from "../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials } from "../../../src/sources/credentials/credentials.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { decodeMultipart, decodePairs } from "./decoders.ts";
import { arePeoplePresent, peopleFolder, readPeopleDocument } from "./people-documents.ts";
import { type Recorded, startRecording } from "./recording.ts";
import { sampleOf } from "../../runs.ts";

interface ExpectedRequest {
  readonly method: string;
  readonly pathAndQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly contentType: string | null;
}

interface Case {
  readonly method: string;
  readonly path: string;
  readonly arguments: JsonObject;
  readonly expectRequest: ExpectedRequest;
}

/** The documents have requests that were written by hand. */
const folder = `${peopleFolder}expected/`;
const files = arePeoplePresent ? sampleOf(readdirSync(folder).toSorted(), 3) : [];

describe.skipIf(!arePeoplePresent).each(files)("%s", (file) => {
  const { file: document, cases } = JSON.parse(readFileSync(folder + file, "utf8")) as {
    readonly file: string;
    readonly cases: readonly Case[];
  };
  const read = readPeopleDocument(document);

  test.each(cases)("$method $path", async ({ method, path, arguments: args, expectRequest }) => {
    const operation = read.operations.find((each) => each.method === method.toUpperCase() && each.path === path)!;
    const { text, reaches } = operation.parameters;
    const check = createCheck(JSON.parse(assembleSchema(text, reaches, read.requestDefinitions)) as JsonObject, {
      trusted: false,
    });
    expect(check.findings(args)).toEqual([]);

    const server = await startRecording();
    const base = server.url + new URL(read.baseUrl ?? "/", "http://127.0.0.1").pathname;
    const upstream = { base, credentials: createCredentials({}) };
    await createCallOperation(operation.plan, upstream, { label: path, isRepeatable: true })(args, server.context);
    expect(server.requests).toHaveLength(1);
    expectArrived(server.requests[0]!, expectRequest);
  });
});

function expectArrived({ method, target, headers, body }: Recorded, expected: ExpectedRequest): void {
  expect(method).toBe(expected.method);
  const [path, query = ""] = target.split("?");
  const [expectedPath, expectedQuery = ""] = expected.pathAndQuery.split("?");
  expect(path!.replaceAll("%3A", ":").replaceAll("%40", "@")).toBe(
    expectedPath!.replaceAll("%3A", ":").replaceAll("%40", "@"),
  );
  expect(decodePairs(query)).toEqual(decodePairs(expectedQuery));
  const { accept: _, cookie: __, "content-type": contentType, ...own } = headers;
  const expectedHeaders = Object.entries(expected.headers).map(([name, value]) => [name.toLowerCase(), value]);
  expect(own).toEqual(Object.fromEntries(expectedHeaders));
  expect(contentType?.split(";")[0] ?? null).toBe(expected.contentType);
  expectBody(body, contentType ?? "", expected.body);
}

function expectBody(body: Buffer, contentType: string, expected: unknown): void {
  const text = body.toString();
  if (expected === null) return expect(text).toBe("");
  if (contentType.startsWith("multipart/")) {
    const parts = decodeMultipart(contentType, body).map(({ name, fileName, content }) => [
      name,
      fileName === undefined ? content.toString() : { file: content.toString() },
    ]);
    return expect(Object.fromEntries(parts)).toEqual(expected);
  }
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return expect(decodePairs(text)).toEqual(decodePairs(expected as string));
  }
  expect(typeof expected === "string" ? text : JSON.parse(text)).toEqual(expected);
}
