import { createRights } from "../../../src/access/rights.ts";
import { describe, expect, it } from "vitest";
import type { CreateExecutor } from "../../../src/core/registry/registered-tool.ts";
import { createRegistry as createBareRegistry } from "../../../src/core/registry/registry.ts";
import { createRegistry, invoke, type Tool } from "../../../src/index.ts";
import { resultOf, sleep, toolOf } from "../one-tool.ts";

const names = (registry: ReturnType<typeof createRegistry>) => registry.list().map(({ tool }) => tool.name);
const add = (fields: object) => () => createRegistry().add({ ...toolOf({}), ...fields } as Tool);

describe("a tool is refused", () => {
  it.each<[string, object, RegExp]>([
    ["without a name", { name: undefined }, /name/],
    ["whose name is null", { name: null }, /name/],
    ["whose name is empty", { name: "" }, /name/],
    ["whose name begins with a digit", { name: "1a" }, /name/],
    ["whose name holds a dot", { name: "a.b" }, /name/],
    ["whose name ends in a line break", { name: "a\n" }, /name/],
    ["whose name has 65 characters", { name: "a".repeat(65) }, /name/],
    ["named __proto__ with a space", { name: "__proto__ " }, /name/],
    ["without a description", { description: " " }, /description/],
    ["without execute", { execute: undefined }, /execute/],
    ["without parameters", { parameters: undefined }, /parameters/],
    ["whose parameters are no object", { parameters: { type: "array" } }, /parameters.*object/],
    ["whose parameters are true", { parameters: true }, /parameters.*object/],
    [
      "whose type is Gemini's",
      { parameters: { type: "OBJECT" } },
      /has type "OBJECT", did you mean "object"\? Types are/,
    ],
    ["whose type is misspelt", { parameters: { type: "objekt" } }, /has type "objekt", did you mean "object"\?$/],
    ["whose root has no type", { parameters: { properties: {} } }, /must have type "object"; it has no type$/],
    [
      "whose parameters are a declaration of OpenAI",
      { parameters: { type: "function", function: { name: "a", parameters: { type: "object" } } } },
      /whole function declaration: give only the schema in its "function\.parameters"/,
    ],
    [
      "whose parameters are a declaration of Anthropic",
      { parameters: { name: "a", description: "b", input_schema: { type: "object" } } },
      /whole function declaration: give only the schema in its "input_schema"/,
    ],
    [
      "whose parameters are below the key of a declaration",
      { parameters: { inputSchema: { type: "object" } } },
      /whole function declaration: give only the schema in its "inputSchema"/,
    ],
    [
      "whose parameters are a schema with a name, as for structured output",
      { parameters: { name: "a", strict: true, schema: { type: "object" } } },
      /whole function declaration: give only the schema in its "schema"/,
    ],
    [
      "whose only property has the name of such a key",
      { parameters: { schema: { type: "string" } } },
      /map of properties: put them inside the schema's properties/,
    ],
    [
      "whose parameters are a map of properties",
      { parameters: { city: { type: "string" }, type: { enum: ["a"] } } },
      /map of properties: put them inside the schema's properties/,
    ],
    [
      "whose $ref leads nowhere",
      { parameters: { $ref: "#/$defs/A" } },
      /\$ref "#\/\$defs\/A" does not lead to a schema in the same document/,
    ],
    [
      "whose $ref leads to no object",
      { parameters: { $ref: "#/$defs/A", $defs: { A: { type: "array" } } } },
      /its \$ref "#\/\$defs\/A" leads to a schema that has type "array"/,
    ],
    [
      "whose $ref leads to itself",
      { parameters: { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } } },
      /leads back to itself/,
    ],
    [
      "whose $ref leads elsewhere",
      { parameters: { $ref: "https://example.com/a" } },
      /does not lead to a schema in the same document/,
    ],
    ["whose parameters may be null too", { parameters: { type: ["object", "null"] } }, /parameters.*object/],
    [
      "with a bad parameters schema",
      { parameters: { type: "object", properties: { a: { type: "objekt" } } } },
      /^Error: tool: in "parameters", .*\/properties\/a/,
    ],
    ["with a bad response schema", { response: { pattern: "[" } }, /^Error: tool: in "response", .*regular expression/],
    ["with a time limit of 0", { timeoutMs: 0 }, /timeoutMs.*900000/],
    ["with a time limit of 900001", { timeoutMs: 900_001 }, /timeoutMs/],
    ["with a time limit of 1.5", { timeoutMs: 1.5 }, /timeoutMs/],
    ["with a concurrency of 0", { concurrency: 0 }, /concurrency/],
    ["with no bytes for its result", { resultBytes: 0 }, /resultBytes/],
  ])("%s", (_, fields, reason) => {
    expect(add(fields)).toThrow();
    try {
      add(fields)();
    } catch (error) {
      expect(String(error)).toMatch(reason);
    }
  });

  it("whose name is taken", () => {
    expect(() => createRegistry({ tools: [toolOf({}), toolOf({})] })).toThrow("tool: the name is taken");
  });
});

it.each(["a", "_", "A-b_9", "a".repeat(64), "constructor", "__proto__", "toString"])(
  "the name %s is taken",
  async (name) => {
    const registry = createRegistry({ tools: [toolOf({ name })] });
    expect(names(registry)).toEqual([name]);
    expect(resultOf(await invoke(registry, { name, arguments: { a: 1 } }))).toEqual({ a: 1 });
  },
);

describe("the list", () => {
  it("is sorted by name and leaves out what cannot run", () => {
    const tools = ["b", "B", "_", "a", "a1"].map((name) => toolOf({ name }));
    const registry = createRegistry({
      tools: [...tools, toolOf({ name: "c", requires: ["X"] })],
      env: {},
    });
    expect(names(registry)).toEqual(["B", "_", "a", "a1", "b"]);
    expect(registry.unavailable().map(({ tool, unavailable }) => [tool.name, unavailable])).toEqual([
      ["c", expect.stringContaining("X")],
    ]);
    expect(registry.find("c")).toBeDefined();
  });

  it("is the same object until something changes, and the version with it", () => {
    const registry = createRegistry({ tools: [toolOf({})] });
    const [list, version] = [registry.list(), registry.version];
    expect(registry.list()).toBe(list);
    registry.remove("other");
    expect(registry.version).toBe(version);
    registry.remove("tool");
    expect(registry.version).not.toBe(version);
    expect(registry.list()).toEqual([]);
  });
});

describe("replacing a source's tools", () => {
  it("leaves out the bad ones alone, with the reason, and touches no other source", () => {
    const registry = createRegistry({ tools: [toolOf({ name: "mine" })] });
    registry.replace("a", [toolOf({ name: "old" })]);
    const skipped = registry.replace("a", [
      toolOf({ name: "good" }),
      toolOf({ name: "good" }),
      toolOf({ name: "mine" }),
      toolOf({ name: "bad", parameters: { type: "object", $ref: "Range" } }),
    ]);
    expect(names(registry)).toEqual(["good", "mine"]);
    expect(skipped.map(({ name }) => name)).toEqual(["good", "mine", "bad"]);
    expect(skipped[1]?.reason).toContain("local");
    expect(skipped[2]?.reason).toContain("Range");
    expect(registry.find("mine")?.source).toBe("local");
    expect(registry.find("good")?.source).toBe("a");
  });

  const throwing = (value: unknown) => () => {
    throw value;
  };
  it.each<[string, () => unknown, string, RegExp]>([
    [
      "has no prototype for a name",
      () => ({ ...toolOf({}), name: Object.create(null) }),
      "a tool without a name",
      /name/,
    ],
    [
      "throws when asked its name",
      () => Object.defineProperty(toolOf({}), "name", { get: throwing(1) }),
      "a tool without a name",
      /cannot be read/,
    ],
    [
      "throws whatever it is asked",
      () => new Proxy({}, { get: throwing(Object.create(null)) }),
      "a tool without a name",
      /cannot be read/,
    ],
    [
      "throws an error whose message throws",
      () =>
        Object.defineProperty(toolOf({}), "title", {
          get: throwing(Object.defineProperty(new Error(), "message", { get: throwing(2) })),
        }),
      "tool",
      /cannot be read/,
    ],
    [
      "throws what throws",
      () =>
        Object.defineProperty(toolOf({}), "tags", { get: throwing(new Proxy({}, { getPrototypeOf: throwing(3) })) }),
      "tool",
      /cannot be read/,
    ],
    [
      "has a schema that throws",
      () =>
        toolOf({
          parameters: {
            type: "object",
            get title() {
              throw new Error("no title");
            },
          },
        }),
      "tool",
      /^in "parameters", no title$/,
    ],
    [
      "has a time limit that is no text",
      () => ({ ...toolOf({}), timeoutMs: { toString: throwing(4) } }),
      "tool",
      /^"timeoutMs" must be a whole number/,
    ],
    ["is nothing", () => null, "a tool without a name", /not a tool/],
  ])("leaves out alone what %s", (_, bad, name, reason) => {
    const registry = createRegistry();
    const skipped = registry.replace("a", [bad() as Tool, toolOf({ name: "good" })]);
    expect(skipped).toEqual([{ name, reason: expect.stringMatching(reason) }]);
    expect(names(registry)).toEqual(["good"]);
  });

  it("reads each field of a tool once, so that what is checked is what is told", async () => {
    const reads = new Map<PropertyKey, number>();
    let schemaReads = 0;
    const author = toolOf({
      tags: ["a"],
      parameters: {
        type: "object",
        get title() {
          if (schemaReads++ > 0) throw new Error("asked again");
          return "once";
        },
      },
      execute(this: unknown) {
        return this === watched;
      },
    });
    const watched: Tool = new Proxy(author, {
      get(target, key) {
        reads.set(key, (reads.get(key) ?? 0) + 1);
        return Reflect.get(target, key) as unknown;
      },
    });
    const registry = createRegistry();
    expect(registry.replace("a", [watched])).toEqual([]);
    (author.tags as string[]).push("b");
    expect(registry.find("tool")?.declaration).toMatchObject({ parameters: { title: "once" }, tags: ["a"] });
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe(true);
    expect([...reads.values()].every((count) => count === 1)).toBe(true);
  });

  it("changes the version once", () => {
    const registry = createRegistry();
    const before = registry.version;
    registry.replace("a", [toolOf({ name: "x" }), toolOf({ name: "y" })]);
    expect(registry.version).toBe(before + 1);
  });

  it("lets a call that runs go on with the tool that it began with", async () => {
    const registry = createRegistry();
    registry.replace("a", [toolOf({ execute: () => sleep(10).then(() => "old") })]);
    const running = invoke(registry, { name: "tool", arguments: {} });
    registry.replace("a", [toolOf({ execute: () => "new" })]);
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe("new");
    expect(resultOf(await running)).toBe("old");
  });
});

describe("a declaration", () => {
  const declare = (fields: Partial<Tool>) => createRegistry({ tools: [toolOf(fields)] }).find("tool")!.declaration;

  it("holds what a caller is told and nothing of how the tool runs", () => {
    const annotations = { readOnly: true };
    const declaration = declare({
      title: "T",
      tags: ["x"],
      annotations,
      concurrency: 1,
      requires: [],
    });
    expect(declaration).toEqual({
      name: "tool",
      title: "T",
      description: "A tool of the tests.",
      parameters: { type: "object" },
      response: {},
      annotations,
      tags: ["x"],
      timeoutMs: 10_000,
      source: "local",
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  it("keeps the order of the properties", () => {
    const properties = { z: {}, a: {}, m: {} };
    const { parameters } = declare({ parameters: { type: "object", properties } });
    expect(JSON.stringify(parameters)).toBe('{"type":"object","properties":{"z":{},"a":{},"m":{}}}');
  });

  it("has a hash over name, description, parameters and response alone", () => {
    const hash = (fields: Partial<Tool>) => declare(fields).hash;
    const base = hash({});
    expect(base).toBe("sha256:44ec135f93ba632c94194c1c7428df32e6ff96befcc1f4b388f99d1f82d6bc22");
    const parameters = { properties: { b: {}, a: {} }, type: "object" };
    expect(hash({ parameters })).toBe(hash({ parameters: { type: "object", properties: { a: {}, b: {} } } }));
    expect(
      hash({
        title: "T",
        tags: ["x"],
        timeoutMs: 5,
        annotations: { readOnly: true },
        response: {},
      }),
    ).toBe(base);
    const changed = [
      { description: "Other." },
      { parameters },
      { response: { type: "string" } },
      { response: true },
    ].map(hash);
    expect(new Set([base, ...changed]).size).toBe(5);
  });
});

it("refuses a tool that must run in a thread where there are none", () => {
  const tool = toolOf({ isolation: "thread", module: import.meta.url });
  expect(() => createBareRegistry({ tools: [tool] })).toThrow(
    'isolation "thread" needs the option "isolate" of the registry',
  );
});

it("keeps the threads of a tool that did not change, until threads are made by others", () => {
  const events: string[] = [];
  const isolateIn = (place: string): CreateExecutor => {
    return ({ name }) => {
      events.push(`${place} starts ${name}`);
      return { concurrency: 2, execute: async () => place, close: () => events.push(`${place} ends ${name}`) };
    };
  };
  const tools = [toolOf({ isolation: "thread" })];
  const [first, second] = [isolateIn("first"), isolateIn("second")];
  const registry = createBareRegistry({ isolate: first });
  registry.replace("folder", tools);
  const entry = registry.find("tool");
  registry.configure({ isolate: first });
  registry.configure({});
  registry.replace("folder", tools);
  expect(registry.find("tool")).toBe(entry);
  expect(events).toEqual(["first starts tool"]);
  registry.configure({ isolate: second });
  registry.replace("folder", tools);
  expect(events).toEqual(["first starts tool", "second starts tool", "first ends tool"]);
});

describe("a name that several sources have", () => {
  const tool = (description: string): Tool => toolOf({ name: "one", description });
  const group = (source: string, rank: number, ...tools: Tool[]) => ({ source, rank, tools });
  const taken = [{ name: "one", reason: 'the name is taken by the source "first"' }];

  it("belongs to the one of the lowest rank, whichever had it before", () => {
    const registry = createRegistry();
    registry.replaceAll([group("second", 2, tool("of second"))]);
    registry.replaceAll([group("first", 1, tool("of first"))]);
    expect(registry.find("one")?.source).toBe("first");
    expect(registry.skipped("second")).toEqual(taken);
    registry.replaceAll([group("second", 2, tool("of second, again"))]);
    expect(registry.find("one")?.source).toBe("first");
    expect(registry.skipped("second")).toEqual(taken);
  });

  it("goes to the next at once if the first gives it up, or if its tool cannot be registered", () => {
    const registry = createRegistry();
    registry.replaceAll([group("first", 1, tool("of first")), group("second", 2, tool("of second"))]);
    registry.replace("first", [toolOf({ name: "other" })]);
    expect(registry.find("one")?.tool.description).toBe("of second");
    expect(registry.skipped("second")).toEqual([]);
    registry.replace("first", [tool("of first")]);
    expect(registry.find("one")?.source).toBe("first");
    registry.replace("first", [toolOf({ name: "one", timeoutMs: -1 })]);
    expect(registry.find("one")?.source).toBe("second");
    registry.remove("one");
    expect(registry.find("one")).toBeUndefined();
  });

  it("belongs to the same source in every order of arrival, and no other tool is registered anew", () => {
    const sources = ["a", "b", "c"].map((source, index) =>
      group(source, index + 1, tool(source), toolOf({ name: source })),
    );
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const registry = createRegistry();
      for (const index of order) registry.replaceAll([sources[index]!]);
      expect(registry.find("one")?.source).toBe("a");
      expect(["a", "b", "c"].map((source) => registry.skipped(source).length)).toEqual([0, 1, 1]);
      const before = registry.find("b");
      registry.replaceAll([group("a", 1)]);
      expect(registry.find("one")?.source).toBe("b");
      expect(registry.find("b")).toBe(before);
    }
  });

  it("belongs to the source that came first if they have no rank", () => {
    const registry = createRegistry({ tools: [tool("local")] });
    expect(registry.replace("x", [tool("x")])).toMatchObject([{ reason: 'the name is taken by the source "local"' }]);
    expect(registry.replace("y", [tool("y")])).toHaveLength(1);
    registry.remove("one");
    expect(registry.find("one")?.source).toBe("x");
    expect(() => registry.add(tool("late"))).toThrow("one: the name is taken");
  });
});

it("counts the annotations of a source only if it is trusted with them, and lists them all the same", () => {
  const registry = createRegistry();
  const harmless = toolOf({ annotations: { readOnly: true }, retries: 2 });
  for (const [trustsAnnotations, retries] of [
    [false, 0],
    [true, 2],
  ] as const) {
    registry.replace("far", [harmless], { trusted: false, trustsAnnotations });
    const entry = registry.find("tool");
    expect(entry).toMatchObject({ repeatable: trustsAnnotations, retries });
    expect(entry?.declaration.annotations).toEqual({ readOnly: true });
    expect(createRights({ readOnly: true })?.allows(entry!)).toBe(trustsAnnotations);
  }
});
