import { describe, expect, it } from "vitest";
import { ToolError } from "../../src/errors/errors.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { type DialectName, dialectNames } from "../../src/dialects/dialects.ts";
import { appOf } from "../http/app-in-memory.ts";
import { fixturesOf, dialectsWithText } from "./fixtures.ts";
import { ask, askText } from "./reply-answer.ts";

/** anomalyco/opencode#13988, microsoft/playwright-mcp#1410: one result with half an emoji fails every later request. */
const half = "Good morning \u{1F600}".slice(0, -1);

const tools: readonly Partial<Tool>[] = [
  { name: "text", execute: () => half },
  { name: "nested", execute: () => ({ list: [{ [`key ${half}`]: half }] }) },
  { name: "long", execute: () => `${"x".repeat(500)}${half}` },
  { name: "json", execute: () => JSON.stringify({ text: half }) },
  { name: "blocks", contentBlocks: true, execute: () => ({ content: [{ type: "text", text: half }] }) },
  {
    name: "fails",
    execute: () => {
      throw new ToolError(half, { details: { seen: half } });
    },
  },
  { name: "whole", execute: () => "😀 \\ud83d" },
];
const names = ["text", "nested", "long", "json", "blocks", "fails"];

/** A reply that calls the tool once. */
function replyOf(format: DialectName, name: string, text?: string): unknown {
  return fixturesOf(format).reply([{ id: "call_1", name, args: {} }], text);
}

/** Half a pair, or its escape, in whatever is JSON inside JSON. */
function holdsHalf(value: unknown): boolean {
  if (typeof value === "string")
    return /\p{Surrogate}/u.test(value) || (/^[[{"]/.test(value) && holdsHalf(JSON.parse(value)));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => holdsHalf(key) || holdsHalf(member));
}

describe("half a surrogate pair in a result", () => {
  it.each(dialectNames.flatMap((format) => names.map((name) => [format, name] as const)))(
    "is U+FFFD in the message, with a warning: %s, %s",
    async (format, name) => {
      const answer = await ask(format, replyOf(format, name), { tools });
      expect(holdsHalf(answer)).toBe(false);
      expect(JSON.stringify(answer.messages)).toContain("Good morning \ufffd");
      const message = "The result of this call contained half a surrogate pair. It was replaced by U+FFFD.";
      expect(answer.warnings.filter((warning) => warning.message === message)).toEqual([{ call: 0, message }]);
    },
  );

  it.each(dialectNames)("is the only thing that is mended: %s", async (format) => {
    const { messages, warnings } = await ask(format, replyOf(format, "whole"), { tools });
    expect(JSON.stringify(messages)).toContain("😀 \\\\ud83d");
    expect(warnings.filter(({ message }) => message.includes("U+FFFD"))).toEqual([]);
  });

  it.each(dialectsWithText)("is mended in the echo: %s", async (format) => {
    const text = await askText(format, replyOf(format, "whole", half), { tools, query: "&echo=true" });
    expect(text).toContain("Good morning \ufffd");
    expect(JSON.parse(text)).toMatchObject({
      warnings: expect.arrayContaining([
        { call: null, message: "A message contained half a surrogate pair. It was replaced by U+FFFD." },
      ]),
    });
  });
});

describe("an answer to a call", () => {
  const headers = { "content-type": "application/json" };

  it.each(names)("holds none: %s", async (name) => {
    const { app } = appOf(tools);
    const invoked = await app.request(`/tools/${name}/invoke`, { method: "POST", headers, body: "{}" });
    const streamed = await app.request(`/tools/${name}/invoke`, {
      method: "POST",
      headers: { ...headers, accept: "text/event-stream" },
      body: "{}",
    });
    const batch = JSON.stringify({ calls: [{ id: half, name, arguments: {} }] });
    const called = await app.request("/calls", { method: "POST", headers, body: batch });
    for (const text of [await invoked.text(), await streamed.text(), await called.text()]) {
      expect(text).toContain("\ufffd");
      expect(text).not.toMatch(/\\ud83d/i);
    }
  });

  it("holds none of what it was sent: keys, names and ids", async () => {
    const { app } = appOf([{ name: "strict", parameters: { type: "object", additionalProperties: false } }]);
    const body = JSON.stringify({ [half]: 1 });
    const refused = await (await app.request("/tools/strict/invoke", { method: "POST", headers, body })).text();
    const unknown = JSON.stringify({ calls: [{ id: half, name: half, arguments: {} }] });
    const called = await (await app.request("/calls", { method: "POST", headers, body: unknown })).text();
    for (const text of [refused, called]) expect(text).not.toMatch(/\\ud83d/i);
    expect(JSON.parse(refused)).toMatchObject({ error: { issues: [{ path: "/Good morning \ufffd" }] } });
  });

  it("is warned of in the log", async () => {
    const logged: unknown[] = [];
    const { app } = appOf(tools, {}, { observer: { onToolLog: (entry) => logged.push(entry) } });
    await app.request("/tools/text/invoke", { method: "POST", headers, body: "{}" });
    expect(logged).toMatchObject([{ tool: "text", level: "warn", message: expect.stringContaining("U+FFFD") }]);
  });
});

describe("half a surrogate pair in a declaration", () => {
  it.each(["", "?format=mcp", "?format=openai", "?format=anthropic"])(
    "is U+FFFD in title, description and tags: /tools%s",
    async (query) => {
      const tool = { name: "worded", title: "title \udc00", description: "words \ud83d", tags: ["tag \udc00"] };
      const { app } = appOf([tool]);
      const list = await (await app.request(`/tools${query}`)).text();
      expect(list).toContain("words \ufffd");
      if (query === "" || query === "?format=mcp") expect(list).toContain("title \ufffd");
      expect(holdsHalf(JSON.parse(list))).toBe(false);
    },
  );
});
