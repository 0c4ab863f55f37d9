import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../egress/servers.ts";
import { service, temporaryFolder } from "./toolhost.ts";

const document = `openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: https://pets.example/v1 }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Finds a pet.
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: fields, in: query, schema: { type: array, items: { type: string } } }
      responses: { "200": { description: found } }
  /files:
    post:
      operationId: upload
      servers: [{ url: https://files.example }]
      responses: { "200": { description: stored } }
`;

function folder(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "pets.yaml"), document);
  return cwd;
}

test("serve says that the file of the working folder is used too", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "toolhost.yaml"), "overrides: { pets_*: { timeoutMs: 4321 } }");
  const served = await service(["--openapi", "pets.yaml"], { cwd });
  expect(served.lines().join("\n")).toContain("toolhost.yaml of the working folder is used too");
});

test("serve --openapi serves an API over HTTP: a call, the provider's list, the status", async () => {
  const server = await startServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: request.url }));
  });
  const { url } = await service(["--openapi", "pets.yaml", "--base-url", server.url], { cwd: folder() });
  const answer = await fetch(`${url}/tools/pets_getPet/invoke`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"id":"7"}',
  });
  expect(await answer.json()).toMatchObject({ status: "ok", result: { path: "/pets/7" } });
  const list = (await (await fetch(`${url}/tools?format=openai`)).json()) as { tools: unknown[] };
  expect(list.tools).toMatchObject([{ function: { name: "pets_getPet", description: "Finds a pet." } }]);
  expect(await (await fetch(`${url}/status`)).json()).toMatchObject({
    sources: [{ name: "pets", kind: "openapi", tools: 1, skipped: [{ name: "POST /files" }] }],
  });
});
