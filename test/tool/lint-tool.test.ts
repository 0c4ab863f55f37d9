import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { ToolWarning } from "../../src/core/observer.ts";
import { lintTool } from "../../src/tool/lint-tool.ts";
import { readTool } from "../../src/tool/read-tool.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createRegistry as createLibraryRegistry } from "../../src/create-registry.ts";
import type { Tool } from "../../src/tool/tool.ts";

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
    ["maxRetries", "retries"],
    ["retry", "retries"],
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
      `/${written} "${written}" is not a field of a tool and has no effect; did you mean "${meant}"?`,
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
      `/annotations/${written} "${written}" is not an annotation and has no effect; did you mean "${meant}"?`,
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

test("a proxy that refuses to be listed is a tool all the same", () => {
  const ownKeys = (): never => {
    throw new Error("no list");
  };
  expect(lint(new Proxy({ ...plain, timeout: 5 }, { ownKeys }))).toEqual([]);
});

describe("a registry", () => {
  const misspelt = { ...plain, timeout: 50 } as Tool;
  const warning = {
    name: "t",
    path: "/timeout",
    message: '"timeout" is not a field of a tool and has no effect; did you mean "timeoutMs"?',
  };

  test("keeps the warnings of a source's tools until they are fixed, and registers the tools", () => {
    const registry = createRegistry();
    expect(registry.replace("folder", [misspelt])).toEqual([]);
    expect(registry.find("t")).toBeDefined();
    expect(registry.warnings("folder")).toEqual([warning]);
    expect(registry.warnings("other")).toEqual([]);
    registry.replace("folder", [plain]);
    expect(registry.warnings("folder")).toEqual([]);
  });

  test("has none for a source that is not trusted", () => {
    const registry = createRegistry();
    registry.replace("foreign", [misspelt], { trusted: false });
    expect(registry.warnings("foreign")).toEqual([]);
  });

  test("reports those of its own tools to the observer", () => {
    const onToolWarning = vi.fn<(warning: ToolWarning) => void>();
    createRegistry({ tools: [misspelt], observer: { onToolWarning } }).add({ ...plain, name: "u" });
    expect(onToolWarning.mock.calls).toEqual([[warning]]);
  });

  test("of a library makes a warning of the process if it has no observer", () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => emitWarning.mockRestore());
    createLibraryRegistry({ tools: [misspelt] });
    expect(emitWarning.mock.calls).toEqual([[`t: ${warning.message}`, "ToolhostWarning"]]);
    createLibraryRegistry({ tools: [misspelt], observer: {} });
    expect(emitWarning).toHaveBeenCalledTimes(1);
  });
});

describe("a tool that cannot be registered", () => {
  test.each<readonly [given: object, reason: string]>([
    [
      { ...plain, execute: undefined, handler: () => null },
      '"execute" must be a function; "handler" is not a field of a tool, did you mean "execute"?',
    ],
    [
      { ...plain, execute: undefined, exceute: () => null },
      '"execute" must be a function; "exceute" is not a field of a tool, did you mean "execute"?',
    ],
    [
      { ...plain, parameters: undefined, inputSchema: {} },
      'it has no parameters: neither in the module nor in parameters.json; "inputSchema" is not a field of a tool, did you mean "parameters"?',
    ],
    [
      { ...plain, description: undefined, desciption: "x" },
      'it has no description; "desciption" is not a field of a tool, did you mean "description"?',
    ],
    [
      { name: "t", description: "A tool.", inputSchema: { type: "object" }, handler: () => null },
      '"execute" must be a function; "inputSchema" and "handler" are not fields of a tool, did you mean "parameters" and "execute"?',
    ],
    [
      { name: "t", description: "A tool.", schema: { type: "object" }, execute: () => null, func: () => null },
      'it has no parameters: neither in the module nor in parameters.json; "schema" is not a field of a tool, did you mean "parameters"?',
    ],
    [
      { name: "t", function: { name: "t", parameters: { type: "object" } }, execute: () => null },
      'it has no description; it is a declaration of OpenAI\'s format: move "name", "description" and "parameters" out of "function"',
    ],
    [
      { name: "t", functionDeclarations: [{ name: "t" }], execute: () => null },
      'it has no description; it is a declaration of Gemini\'s format: move "name", "description" and "parameters" out of "functionDeclarations"',
    ],
    [{ ...plain, execute: undefined }, '"execute" must be a function'],
    [{ ...plain, requires: "KEY" }, '"requires" must be an array of strings'],
    [
      { ...plain, parameters: { type: "object", properties: { a: { type: "strng" } } } },
      'in "parameters", the schema is not valid JSON Schema: /properties/a/type must be one of array, boolean, integer, null, number, object, string; did you mean "string"?',
    ],
    [
      { ...plain, parameters: { type: "object", properties: { a: { type: "x" } } } },
      'in "parameters", the schema is not valid JSON Schema: /properties/a/type must be one of array, boolean, integer, null, number, object, string',
    ],
  ])("says what was probably meant (%#)", (given, reason) => {
    expect(createRegistry().replace("folder", [given as unknown as Tool])).toEqual([{ name: "t", reason }]);
  });
});

describe("the schemas that libraries write", () => {
  const node: z.ZodType = z.object({ value: z.string(), next: z.lazy(() => node).optional() });
  const zodSchema = z.strictObject({
    text: z
      .email()
      .min(3)
      .meta({ description: "Mail", title: "Mail", examples: ["a@b.c"] }),
    count: z.int().min(1).max(5).default(2),
    kind: z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), x: z.number() }),
      z.object({ type: z.literal("b") }),
    ]),
    rest: z.record(z.string(), z.union([z.null(), z.array(z.tuple([z.string(), z.number()]))])),
    node,
  });
  const valibotSchema = toStandardJsonSchema(
    v.strictObject({
      text: v.pipe(v.string(), v.minLength(1), v.description("Text")),
      list: v.optional(v.array(v.picklist(["a", "b"]))),
      either: v.union([v.object({ a: v.number() }), v.object({ b: v.boolean() })]),
    }),
  );
  const arkSchema = type({
    text: "string > 0",
    "count?": "1 <= number.integer <= 5",
    kind: "'a' | 'b'",
    list: "string[]",
  });

  test.each([
    ["Zod", zodSchema],
    ["Valibot", valibotSchema],
    ["ArkType", arkSchema],
  ])("contain nothing to warn of: %s", (_name, parameters) => {
    expect(lint({ ...plain, parameters, response: parameters })).toEqual([]);
  });
});
