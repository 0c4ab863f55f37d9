import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { createCallOperation } from "../../../src/sources/openapi/call/call-operation.ts";
import { createCredentials } from "../../../src/sources/credentials/credentials.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { arePeoplePresent, readPeopleDocument } from "./people-documents.ts";
import { startRecording } from "./recording.ts";

type Expected = readonly [target: string, contentType: string | undefined, body: string];

async function send(file: string, method: string, path: string, args: JsonObject): Promise<Expected> {
  const read = readPeopleDocument(file);
  const operation = read.operations.find((each) => each.method === method && each.path === path)!;
  const { text, reaches } = operation.parameters;
  const schema = JSON.parse(assembleSchema(text, reaches, read.requestDefinitions)) as JsonObject;
  expect(createCheck(schema, { trusted: false }).findings(args)).toEqual([]);
  const server = await startRecording();
  const upstream = { base: server.url, credentials: createCredentials({}) };
  await createCallOperation(operation.plan, upstream, { label: path, isRepeatable: true })(args, server.context);
  expect(server.requests).toHaveLength(1);
  const { target, headers, body } = server.requests[0]!;
  return [target, headers["content-type"], body.toString()];
}

/** Operations that are broken or unclear in documents of ordinary projects, each with the better of the right readings. */
describe.skipIf(!arePeoplePresent)("an unclear operation", () => {
  const octets = "application/octet-stream";
  test.each<[string, string, string, JsonObject, Expected]>([
    [
      "container-engine-2.0.yaml",
      "POST",
      "/networks/{id}/connect",
      { id: "n", Container: "c" },
      ["/networks/n/connect", octets, '{"Container":"c"}'],
    ],
    [
      "container-engine-2.0.yaml",
      "GET",
      "/containers/{id}/attach/ws",
      { id: "c" },
      ["/containers/c/attach/ws", undefined, ""],
    ],
    [
      "content-platform-2.0.yaml",
      "PUT",
      "/options/{option_id}",
      { option_id: "o", body: { a: 1 } },
      ["/options/o", "application/json", '{"a":1}'],
    ],
    ["downloader-3.1.json", "GET", "/api/jobs/{job_id}/events", { job_id: "j" }, ["/api/jobs/j/events", undefined, ""]],
    [
      "notes-3.0.yaml",
      "POST",
      "/search/",
      { body: { "==": [1, 1] } },
      ["/search/", "application/vnd.olrapi.jsonlogic+json", '{"==":[1,1]}'],
    ],
    [
      "waiting-time-2.0.json",
      "POST",
      "/callback",
      { error: "e", job_id: "j", status: "s" },
      ["/callback", "application/json", '{"error":"e","job_id":"j","status":"s"}'],
    ],
    [
      "waiting-time-2.0.json",
      "POST",
      "/jobs",
      { callback_endpoint: "https://c.example", column_mapping: { a: "b" }, event_log: "e" },
      [
        "/jobs",
        "application/json",
        '{"callback_endpoint":"https://c.example","column_mapping":{"a":"b"},"event_log":"e"}',
      ],
    ],
  ])("of %s is a tool that sends what its authors meant: %s %s", async (file, method, path, args, expected) => {
    expect(await send(file, method, path, args)).toEqual(expected);
  });

  test("with a string body of several types sends the text as it is", async () => {
    const [target, type, body] = await send("container-engine-2.0.yaml", "POST", "/images/create", { body: "x y" });
    expect([target, body]).toEqual(["/images/create", "x y"]);
    expect(["text/plain", octets]).toContain(type?.split(";")[0]);
  });

  test("with a body of free members sends them, as one argument or side by side", async () => {
    const path = "/v1/vaults/{vaultId}/rules";
    const read = readPeopleDocument("custody-3.0.json");
    const operation = read.operations.find((each) => each.method === "POST" && each.path === path)!;
    expect(operation.plan.body?.from).toEqual({ argument: "body" });
  });

  const dangling = ["/product/{tei_urn}", "/leaf/{tea_leaf_identifier}", "/collection/{tea_collection_identifier}"];
  test.each(dangling.flatMap((path) => ["GET", "PATCH", "DELETE"].map((method) => [method, path] as const)))(
    "whose path parameter leads nowhere has it as a required text: %s %s",
    async (method, path) => {
      const read = readPeopleDocument("transparency-3.1.json");
      const operation = read.operations.find((each) => each.method === method && each.path === path)!;
      const name = /\{(.*)\}/.exec(path)![1]!;
      expect(JSON.parse(operation.parameters.text)).toMatchObject({
        properties: { [name]: { type: "string" } },
        required: expect.arrayContaining([name]) as string[],
      });
    },
  );
});
