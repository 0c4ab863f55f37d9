import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./toolhost.ts";

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

/** A folder with the document `pets.yaml`. */
export function petsFolder(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "pets.yaml"), document);
  return cwd;
}
