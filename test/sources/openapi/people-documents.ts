import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readOpenApi, type ReadOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

/** Twelve documents of ordinary projects. They are not part of the repository. */
export const peopleFolder = fileURLToPath(new URL("../../../../shared/corpus/openapi-people/", import.meta.url));
export const arePeoplePresent = existsSync(peopleFolder) || process.env["CI"] !== undefined;
if (!arePeoplePresent) {
  console.warn(`The tests of OpenAPI documents of ordinary projects are skipped: ${peopleFolder} is not there.`);
}

const documents = new Map<string, ReadOpenApi>();

/** Reads each document once: they are large. */
export function readPeopleDocument(file: string): ReadOpenApi {
  const read = documents.get(file) ?? readOpenApi(readFileSync(peopleFolder + file, "utf8"), { name: "api" });
  documents.set(file, read);
  return read;
}
