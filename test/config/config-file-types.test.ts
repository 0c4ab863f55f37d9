import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { ConfigFile } from "../../src/config/config-file.ts";
import { fileSchema, publishedSchema } from "../../src/config/file-schema.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { sourceKinds } from "../../src/sources/source-kinds.ts";
import { type Shape, shapeOf } from "./shape.ts";

const shape = {
  "overrides?": {
    "*": {
      "description?": "string",
      "title?": "string",
      "tags?": ["string"],
      "annotations?": {
        "readOnly?": "boolean",
        "destructive?": "boolean",
        "idempotent?": "boolean",
        "openWorld?": "boolean",
      },
      "bind?": { "*": "bound" },
      "timeoutMs?": "integer",
      "concurrency?": "integer",
      "retries?": "integer",
      "enabled?": "boolean",
      "repair?": "boolean",
      "response?": { enforce: "word", warn: "word", off: "word" },
    },
  },
  "limits?": {
    "bodyBytes?": "integer",
    "replyBytes?": "integer",
    "bytesInFlight?": "integer",
    "callsInFlight?": "integer",
    "queueMs?": "integer",
    "timeoutMs?": "integer",
  },
  "auth?": {
    "keys?": [
      {
        name: "string",
        sha256: "string",
        "tools?": ["string"],
        "readOnly?": "boolean",
        "operator?": "boolean",
        "callsPerMinute?": "integer",
      },
    ],
    "jwt?": {
      issuer: "string",
      audience: "string",
      jwksUrl: "string",
      "toolsClaim?": "string",
      "operatorClaim?": "string",
    },
  },
  "egress?": { "allow?": ["string"] },
  "hosts?": ["string"],
  "publicUrl?": "string",
  "origins?": ["string"],
} as const satisfies Shape<Omit<ConfigFile, "tools">>;

test("the types of the file are those of its schema", () => {
  const { tools: _, ...properties } = publishedSchema["properties"] as JsonObject;
  expect(shapeOf({ ...publishedSchema, properties })).toEqual(shape);
});

/** One file a kind, so that a kind adds one and changes none. */
const kindFiles = readdirSync(new URL("./source-shapes/", import.meta.url));

test("the types of each kind of source are those of its schema, and the service can make it", async () => {
  const { schemas } = fileSchema.kinds;
  expect(kindFiles.map((name) => name.replace(".ts", "")).toSorted()).toEqual([...schemas.keys()].toSorted());
  // A file that lists servers is read with the configuration, and each server is a source. Workers are no source that
  // is read: they register.
  expect([...Object.keys(sourceKinds), "mcpServers", "workers"].toSorted()).toEqual([...schemas.keys()].toSorted());
  for (const [kind, schema] of schemas) {
    const { shape: expected } = (await import(`./source-shapes/${kind}.ts`)) as { shape: unknown };
    expect(shapeOf(schema)).toEqual(expected);
  }
});
