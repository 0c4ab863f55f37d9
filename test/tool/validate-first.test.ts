import fc from "fast-check";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { Registry, Tool } from "../../src/index.ts";
import { createRegistry, invoke } from "../../src/index.ts";
import { errorOf, resultOf, toolOf } from "../core/one-tool.ts";
import { runs } from "../runs.ts";

/** A schema of a library of its own, whose JSON Schema takes any object. */
function schemaOf(validate: (value: never) => unknown, jsonSchema: object = { type: "object" }): Tool["parameters"] {
  return {
    "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input: () => jsonSchema } },
  } as unknown as Tool["parameters"];
}

function registryOf(fields: Partial<Tool>, options: Parameters<typeof createRegistry>[0] = {}): Registry {
  return createRegistry({ observer: {}, ...options, tools: [toolOf(fields)] });
}

const call = (registry: Registry, args: unknown = {}, more: object = {}) =>
  invoke(registry, { name: "tool", arguments: args, ...more });

describe("the check of a schema library", () => {
  it.each(["refine", "transform"] as const)(
    "runs an asynchronous %s of Zod once, and its rejection is handled",
    async (way) => {
      let runs = 0;
      const check = async (given: string): Promise<string> => {
        runs++;
        await Promise.resolve();
        if (given === "bad") throw new Error("no data base");
        return given;
      };
      const word = way === "refine" ? z.string().refine(check) : z.string().transform(check);
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on("unhandledRejection", note);
      onTestFinished(() => void process.off("unhandledRejection", note));
      const registry = registryOf({ parameters: z.object({ word }) as unknown as Tool["parameters"] });
      expect(resultOf(await call(registry, { word: "good" }))).toEqual({ word: "good" });
      expect(runs).toBe(1);
      expect(errorOf(await call(registry, { word: "bad" }))).toMatchObject({ code: "tool_failed", ran: "no" });
      await nextTurn();
      expect(runs).toBe(2);
      expect(unhandled).toEqual([]);
    },
  );

  it("has a copy of the arguments, however deep", async () => {
    const args = { list: [{ n: 1 }] };
    const seen: unknown[] = [];
    const validate = (value: typeof args) => {
      seen.push(value);
      value.list[0]!.n++;
      return { value };
    };
    const registry = registryOf({ parameters: schemaOf(validate) });
    expect(resultOf(await call(registry, args))).toEqual({ list: [{ n: 2 }] });
    expect(resultOf(await call(registry, args))).toEqual({ list: [{ n: 2 }] });
    expect(args).toEqual({ list: [{ n: 1 }] });
    expect(seen[0]).not.toBe(args);
    expect(seen).toHaveLength(2);
  });

  it("is asked only for arguments that the JSON Schema accepts, once the call is admitted", async () => {
    let asked = 0;
    const parameters = schemaOf((value) => (asked++, { value }), { type: "object", required: ["a"] });
    const registry = registryOf({ parameters });
    expect(errorOf(await call(registry)).code).toBe("invalid_arguments");
    const never = { id: "none", meter: { take: () => 60_000 } };
    expect(errorOf(await call(registry, { a: 1 }, { caller: never })).code).toBe("rate_limited");
    expect(asked).toBe(0);
    expect(resultOf(await call(registry, { a: 1 }))).toEqual({ a: 1 });
    expect(asked).toBe(1);
  });

  it("sees repaired arguments, and the repairs are reported with its issues", async () => {
    const parameters = schemaOf(
      (value: { n: number }) => ({ issues: [{ message: `never ${typeof value.n}`, path: ["n"] }] }),
      {
        type: "object",
        properties: { n: { type: "number" } },
      },
    );
    expect(await call(registryOf({ parameters }), { n: "5" }, { repair: true })).toMatchObject({
      error: { code: "invalid_arguments", issues: [{ path: "/n", message: "never number" }] },
      repairs: [{ path: "/n", kind: "parsed_json" }],
    });
  });

  it.each<[string, unknown[], string]>([
    ["keys", ["a/b", 0, "c~"], "/a~1b/0/c~0"],
    ["objects with keys", [{ key: "a" }, { key: 1 }], "/a/1"],
    ["none", [], ""],
  ])("gives paths as JSON Pointers: %s", async (_, path, expected) => {
    const parameters = schemaOf(() => ({ issues: [{ message: "is wrong", path }] }));
    expect(errorOf(await call(registryOf({ parameters })))).toMatchObject({
      code: "invalid_arguments",
      action: "fix_arguments",
      retryable: false,
      ran: "no",
      issues: [{ path: expected, message: "is wrong", keyword: "validate" }],
    });
  });

  it("gives at most 20 issues, and one if it has none to give", async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ message: "is wrong", path: [index] }));
    const answers: unknown[] = [{ issues: many }, { issues: [] }, { issues: "no list" }, { issues: [null, 7] }];
    const counts = [];
    for (const answer of answers) {
      counts.push(errorOf(await call(registryOf({ parameters: schemaOf(() => answer) }))).issues);
    }
    const none = [{ path: "", message: "is not valid", keyword: "validate" }];
    expect(counts.map((issues) => issues?.length)).toEqual([20, 1, 1, 1]);
    expect(counts.slice(1)).toEqual([none, none, none]);
  });

  it.each<[string, (value: never) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret"))],
    [
      "throws what is no error",
      () => {
        throw undefined;
      },
    ],
    ["answers nothing", () => undefined],
    ["answers nothing later", () => Promise.resolve(null)],
    [
      "answers with a getter that throws",
      () => ({
        get issues() {
          throw new Error("secret");
        },
      }),
    ],
    [
      "answers with an issue that throws",
      () => ({
        issues: [
          {
            get message() {
              throw new Error("secret");
            },
          },
        ],
      }),
    ],
  ])("fails the call if it %s, and nothing ran", async (_, validate) => {
    let ran = false;
    const causes: unknown[] = [];
    const observer = { onCall: ({ cause }: { cause?: unknown }) => void causes.push(cause) };
    const execute = (): unknown => (ran = true);
    const registry = registryOf({ parameters: schemaOf(validate), execute }, { observer });
    const error = errorOf(await call(registry));
    expect(error).toMatchObject({ code: "tool_failed", ran: "no", retryable: false });
    expect(JSON.stringify(error)).not.toContain("secret");
    expect([ran, causes.length]).toEqual([false, 1]);
  });

  it("may choose what the model reads by a ToolError", async () => {
    const thrown = Object.assign(new Error("The list of cities is being read."), {
      name: "ToolError",
      retryable: true,
    });
    const parameters = schemaOf(() => Promise.reject(thrown));
    expect(errorOf(await call(registryOf({ parameters })))).toMatchObject({
      code: "tool_failed",
      message: "The list of cities is being read.",
      retryable: true,
      ran: "no",
    });
  });

  it("counts as time of the call, and the tool is not run after it", async () => {
    let ran = false;
    let settle: (() => void) | undefined;
    const parameters = schemaOf((value) => new Promise((resolve) => (settle = () => resolve({ value }))));
    const registry = registryOf({ parameters, timeoutMs: 20, execute: () => (ran = true) });
    expect(errorOf(await call(registry)).code).toBe("timeout");
    settle?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toBe(false);
    expect(registry.find("tool")!.abandoned.count).toBe(0);
  });

  it("is not asked of results", async () => {
    const response = z.object({ n: z.number().refine((n) => n > 100) }) as unknown as Tool["parameters"];
    const registry = registryOf({ response, execute: () => ({ n: 1, more: true }) });
    expect(resultOf(await call(registry))).toEqual({ n: 1, more: true });
  });

  it("leaves the hash to the JSON Schema", () => {
    const parameters = z.object({ n: z.number().refine((n) => n > 100) });
    const plain = z.object({ n: z.number() })["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    const [one, other] = [parameters as unknown as Tool["parameters"], plain].map(
      (each) => registryOf({ parameters: each }).find("tool")!.declaration.hash,
    );
    expect(one).toBe(other);
  });
});

describe("words of a schema library", () => {
  const told = async (args: unknown, message: string, path: unknown[] = []) => {
    const parameters = schemaOf(() => ({ issues: [{ message, path }] }));
    return errorOf(await call(registryOf({ parameters }), args)).issues?.[0]?.message;
  };

  it.each<[unknown, string, string[]]>([
    [{ a: 1 }, "must be over 100", ["a"]],
    [{ a: 99.8 }, "must be over 100", ["a"]],
    [{ a: 1001 }, "must be at most 1,000", ["a"]],
    [{ a: "x", b: "y" }, "must equal a", ["b"]],
    [{ a: "no" }, "Passwords must match", []],
    [{ mail: "ann" }, "Invalid email address", ["mail"]],
    [{ n: 7, unit: "k" }, "must be 7 or more", ["unit"]],
    [{ a: "" }, "is required", ["a"]],
    [{ a: 100 }, "must be at most 64", ["a"]],
    [{ a: 7 }, "must be at most 37", ["a"]],
    [{ a: 12 }, "must be at least 21", ["a"]],
    [{ a: "s" }, "must be at most 73% of the base64 text /dGVzdA==/", ["a"]],
    [
      { token: "correct horse battery" },
      "must match ^[A-Za-z0-9_-]{20,}$ or %20 &amp; \\u0041, such as aGVsbG8gd29ybGQ",
      ["token"],
    ],
    [{ a: "was" }, "must not be empty", ["a"]],
    [{ a: "no" }, "must be on time", ["a"]],
  ])("are kept if they repeat nothing of %j: %s", async (args, message, path) => {
    expect(await told(args, message, path)).toBe(message);
  });

  it.each<[unknown, string, string[]]>([
    [{ a: "secret" }, "secret is taken", ["a"]],
    [{ a: "secret" }, 'must be a number (was "SECRET")', ["a"]],
    [{ a: "s" }, 'Received "s"', ["a"]],
    [{ a: 3 }, "must be more than 5 (was 3)", ["a"]],
    [{ a: -12.5 }, "Received -12.5", ["a"]],
    [{ a: true }, "Received true", ["a"]],
    [{ a: 1234567 }, "1,234,567 is too much", ["a"]],
    [{ a: 12.5 }, "was 12.50", ["a"]],
    [{ a: 12.5 }, "not 12,5", ["a"]],
    [{ a: 1250 }, "not 1.25e+3", ["a"]],
    [{ a: 1234.5 }, "1.234,50 is too much", ["a"]],
    [{ a: 3.14159 }, "3.14 is too much", ["a"]],
    [{ a: 'say "hi" to me' }, String.raw`Received "say \"hi\" to me"`, ["a"]],
    [{ a: "a long secret of many words" }, "Received a long sec…", ["a"]],
    [{ a: { b: ["secret"] } }, 'Received {"b":["secret"]}', ["a"]],
    [{ password: "hunter2", again: "x" }, "must equal hunter2", ["again"]],
    [{ a: "line one\nline two" }, "line one line two is not allowed", ["a"]],
    [{ a: "x".repeat(500_000) }, "any words", ["a"]],
    [{ a: 1 }, "y".repeat(5000), ["a"]],
    [{ a: 1 }, " ", ["a"]],
  ])("are not valid if they may repeat a part of %.60j: %.60s", async (args, message, path) => {
    expect(await told(args, message, path)).toBe("is not valid");
  });

  const turned = (text: string): string => [...text].toReversed().join("");
  const swapped = (text: string): string =>
    text.replace(/\p{L}/gu, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
  const hexOf = (text: string, joint = ""): string =>
    (Buffer.from(text).toString("hex").match(/../g) ?? []).join(joint);
  const encodings: Readonly<Record<string, (text: string) => string>> = {
    base64: (text) => Buffer.from(text).toString("base64"),
    base64url: (text) => Buffer.from(text).toString("base64url"),
    "base64 twice": (text) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64"),
    "base64 behind more": (text) => Buffer.from(`a:${text}`).toString("base64"),
    hex: (text) => hexOf(text),
    "hex in upper case": (text) => hexOf(text).toUpperCase(),
    "hex with spaces": (text) => hexOf(text, " "),
    "hex with colons": (text) => hexOf(text, ":"),
    "percent-encoding": encodeURIComponent,
    "percent-encoding of every byte": (text) => `%${hexOf(text, "%")}`,
    "percent-encoded base64": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
    "base64 of percent-encoding": (text) => Buffer.from(encodeURIComponent(text)).toString("base64"),
    "the query's form": (text) => new URLSearchParams({ a: text }).toString(),
    escapes: (text) => [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    references: (text) => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join(""),
    "upper case": (text) => text.toUpperCase(),
    "the other case": swapped,
    "the other way round": turned,
    "base64 the other way round": (text) => Buffer.from(turned(text)).toString("base64"),
  };
  const secrets = [
    "hunter2",
    "a b",
    "Geheim!",
    "s3cr3t-Key_42",
    "4111 1111 1111 1111",
    "ann@mail.example",
    "grün/blau?",
    "abc",
  ];

  it.each(Object.entries(encodings))("are not valid if they hold a value as %s", async (_name, encode) => {
    for (const secret of secrets) {
      for (const words of [`Received ${encode(secret)}`, `(was "${encode(secret)}") bad`, `${encode(secret)}: no`]) {
        expect([secret, words, await told({ a: secret }, words, ["a"])]).toEqual([secret, words, "is not valid"]);
      }
    }
  });

  it.each([255, 4096, 100, 65_535])(
    "are not valid if they hold the number %i as hexadecimal digits",
    async (number) => {
      expect(await told({ a: number }, `was 0x${number.toString(16)}`, ["a"])).toBe("is not valid");
      expect(await told({ a: number }, `was 0X${number.toString(16).toUpperCase()}.`, ["a"])).toBe("is not valid");
    },
  );

  it("never hold a value, whatever it is and whoever is refused for it", async () => {
    const scalar = fc.oneof(
      fc.string({ minLength: 4, maxLength: 30 }).filter((text) => /[^\s\\,_']{4}/.test(text)),
      fc.integer({ min: 10_000 }),
      fc.double({ noDefaultInfinity: true, noNaN: true }).filter((n) => String(n).length > 3),
    );
    const words = fc.constantFrom("must not be ", "Received ", "(was ", "bad value:");
    const encoded = fc.constantFrom(
      String,
      encodings["base64"]!,
      encodings["hex"]!,
      encodings["percent-encoding of every byte"]!,
    );
    await fc.assert(
      fc.asyncProperty(scalar, words, fc.constantFrom("a", "b"), encoded, async (value, before, place, encode) => {
        const message = `${before}${encode(String(value))} here`;
        expect(await told({ a: { deep: [value] }, b: "other" }, message, [place])).toBe("is not valid");
      }),
      { numRuns: runs(1000) },
    );
  });
});
