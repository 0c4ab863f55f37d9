import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../egress/servers.ts";
import { petsFolder } from "./pets-folder.ts";
import { service } from "./toolhost.ts";

test("serve says that the file of the working folder is used too", async () => {
  const cwd = petsFolder();
  writeFileSync(join(cwd, "toolhost.yaml"), "overrides: { pets_*: { timeoutMs: 4321 } }");
  const served = await service(["--openapi", "pets.yaml"], { cwd });
  expect(served.lines().join("\n")).toContain("toolhost.yaml of the working folder is used too");
});

test("serve --openapi serves an API over HTTP: a call, the provider's list, the status", async () => {
  const server = await startServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: request.url }));
  });
  const { url } = await service(["--openapi", "pets.yaml", "--base-url", server.url], { cwd: petsFolder() });
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
