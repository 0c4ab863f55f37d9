import { describe, expect, test } from "vitest";
import { lintTool } from "../../src/core/lint-tool.ts";
import { readTool } from "../../src/core/read-tool.ts";
import type { Tool } from "../../src/core/tool.ts";

const plain = { name: "t", description: "Tries.", parameters: { type: "object" }, execute: () => null };

function lint(given: object): string[] {
  return lintTool(given, readTool(given as Tool)).map(({ path, message }) => `${path} ${message}`);
}

describe("a misspelt field of a tool", () => {
  test.each([
    ["timeout", "timeoutMs"],
    ["timeoutMS", "timeoutMs"],
    ["timeout_ms", "timeoutMs"],
    ["timeoutSeconds", "timeoutMs"],
    ["concurency", "concurrency"],
    ["resultbytes", "resultBytes"],
    ["requiers", "requires"],
    ["annotation", "annotations"],
    ["tag", "tags"],
    ["contentBlock", "contentBlocks"],
    ["isolated", "isolation"],
    ["inputSchema", "parameters"],
    ["input_schema", "parameters"],
    ["outputSchema", "response"],
    ["responseSchema", "response"],
    ["readOnly", "annotations.readOnly"],
    ["readonly", "annotations.readOnly"],
    ["readOnlyHint", "annotations.readOnly"],
    ["idempotent", "annotations.idempotent"],
    ["openWorld", "annotations.openWorld"],
  ])("%s is named with %s", (written, meant) => {
    expect(lint({ ...plain, [written]: 1 })).toEqual([
      `/${written} ${written} is not a field of a tool and has no effect; did you mean ${meant}?`,
    ]);
  });

  test.each([
    ["readonly", "readOnly"],
    ["readOnlyHint", "readOnly"],
    ["destructiveHint", "destructive"],
    ["idempotence", "idempotent"],
    ["open_world", "openWorld"],
  ])("annotations.%s is named with %s", (written, meant) => {
    expect(lint({ ...plain, annotations: { [written]: true } })).toEqual([
      `/annotations/${written} ${written} is not an annotation and has no effect; did you mean ${meant}?`,
    ]);
  });

  test("is found where the tool inherits it", () => {
    expect(lint(Object.create(Object.freeze({ ...plain, timeout: 5 }), {}) as object)).toHaveLength(1);
  });

  test("and those of its schemas are told by their place", () => {
    const parameters = { type: "object", properties: { a: { type: "string", minlength: 1 } } };
    const response = { type: "object", requried: ["a"] };
    expect(lintTool(plain, readTool({ ...plain, parameters, response })).map(({ path }) => path)).toEqual([
      "/parameters/properties/a/minlength",
      "/response/requried",
    ]);
  });
});

test.each([
  "client",
  "cache",
  "baseUrl",
  "apiKey",
  "version",
  "handler",
  "run",
  "helper",
  "_timeout",
  "state",
  "type",
  "icon",
  "examples",
  "url",
  "log",
  "data",
  "options",
  "schemaVersion",
  "meta",
  "author",
  "fetch",
  "limits",
])("%s is a field of the tool's own", (name) => {
  expect(lint({ ...plain, [name]: 1 })).toEqual([]);
});

test("methods of a class are no fields, and values are not read", () => {
  class Own {
    readonly name = "t";
    readonly description = "Tries.";
    readonly parameters = { type: "object" };
    get timeout(): number {
      throw new Error("read");
    }
    execute(): null {
      return null;
    }
  }
  expect(lint(new Own())).toEqual([]);
  const trap = Object.defineProperty({ ...plain }, "timeout", {
    enumerable: true,
    get: () => {
      throw new Error("read");
    },
  });
  expect(lint(trap)).toHaveLength(1);
});
