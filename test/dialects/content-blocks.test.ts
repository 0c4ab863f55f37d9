import { describe, expect, it } from "vitest";
import type { DialectName } from "../../src/dialects/dialects.ts";
import { ResultWithBlocks } from "../../src/core/result-blocks.ts";
import { ask } from "./reply-answer.ts";

const data = Buffer.alloc(33_900, 7).toString("base64");
const image = { type: "image", data, mimeType: "image/png" };
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const text = { type: "text", text: "a chart" };
const link = { type: "resource_link", uri: "https://a.example/b", name: "b" };
const file = { type: "resource", resource: { uri: "a:b", blob: data, mimeType: "application/zip" } };
const page = { type: "resource", resource: { uri: "a:c", text: "a page" } };

const anthropic = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "chart", input: {} }] };
const openai = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "chart", arguments: "{}" } }],
};
const responses = [{ type: "function_call", call_id: "a", name: "chart", arguments: "{}" }];
const ollama = { role: "assistant", content: "", tool_calls: [{ function: { name: "chart", arguments: {} } }] };
const gemini = { role: "model", parts: [{ functionCall: { name: "chart", args: {} } }] };

async function messageOf(format: DialectName, reply: unknown, content: unknown) {
  const tools = [{ name: "chart", contentBlocks: true, execute: () => ({ content }) }];
  const { messages, warnings } = await ask(format, reply, { tools });
  return { message: messages[0], warnings: warnings.map(({ call, message }) => [call, message]) };
}

const hidden = (lines: string): unknown[] => [
  [0, `The format cannot represent what the tool returned: the model reads ${lines} instead.`],
];

describe("content blocks reach the model in the form that it can see", () => {
  it("openai: text, and a line for an image", async () => {
    expect(await messageOf("openai", openai, [text, image])).toEqual({
      message: { role: "tool", tool_call_id: "a", content: "a chart\n[image/png, 34 kB]" },
      warnings: hidden("[image/png, 34 kB]"),
    });
  });

  it("openai-responses: input_image, and a line for audio", async () => {
    expect(await messageOf("openai-responses", responses, [text, page, image, audio])).toEqual({
      message: {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "a chart\na page" },
          { type: "input_image", image_url: `data:image/png;base64,${data}` },
          { type: "input_text", text: "[audio/wav, 3 B]" },
        ],
      },
      warnings: hidden("[audio/wav, 3 B]"),
    });
  });

  it("anthropic: image blocks, and lines for other files and images", async () => {
    const bitmap = { ...image, mimeType: "image/bmp" };
    expect(await messageOf("anthropic", anthropic, [image, text, file, bitmap, link])).toEqual({
      message: {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              { type: "image", source: { type: "base64", media_type: "image/png", data } },
              {
                type: "text",
                text: "a chart\n[application/zip, 34 kB]\n[image/bmp, 34 kB]\n[b: https://a.example/b]",
              },
            ],
          },
        ],
      },
      warnings: hidden("[application/zip, 34 kB] [image/bmp, 34 kB]"),
    });
  });

  it.each<[string, unknown]>([
    ["of which only the content is known", gemini],
    ["3", { candidates: [{ content: gemini, finishReason: "STOP" }], modelVersion: "gemini-3-pro" }],
  ])("gemini %s: inlineData parts of the function response", async (_, reply) => {
    expect(await messageOf("gemini", reply, [text, image])).toEqual({
      message: {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "chart",
              parts: [{ inlineData: { mimeType: "image/png", data } }],
              response: { output: "a chart" },
            },
          },
        ],
      },
      warnings: [],
    });
  });

  it("gemini 2.5, which takes none: a line", async () => {
    const reply = { candidates: [{ content: gemini, finishReason: "STOP" }], modelVersion: "gemini-2.5-flash" };
    expect(await messageOf("gemini", reply, [text, image])).toEqual({
      message: {
        role: "user",
        parts: [{ functionResponse: { name: "chart", response: { output: "a chart\n[image/png, 34 kB]" } } }],
      },
      warnings: hidden("[image/png, 34 kB]"),
    });
  });

  it("ollama: images beside the text", async () => {
    expect(await messageOf("ollama", ollama, [text, image, audio])).toEqual({
      message: { role: "tool", tool_name: "chart", content: "a chart\n[audio/wav, 3 B]", images: [data] },
      warnings: hidden("[audio/wav, 3 B]"),
    });
  });

  it("mcp: the blocks", async () => {
    const content = [text, image, audio, file, link];
    expect(await messageOf("mcp", { name: "chart", arguments: {} }, content)).toEqual({
      message: { content },
      warnings: [],
    });
  });

  it.each<[DialectName, unknown]>([
    ["openai", openai],
    ["openai-responses", responses],
    ["anthropic", anthropic],
    ["ollama", ollama],
    ["gemini", gemini],
  ])("%s: text alone is text, and an empty image is a line", async (format, reply) => {
    const plain = await messageOf(format, reply, [text, text]);
    expect(plain.warnings).toEqual([]);
    expect(JSON.stringify(plain.message)).toContain('"a chart\\na chart"');
    const empty = await messageOf(format, reply, [{ ...image, data: "" }]);
    expect(JSON.stringify(empty.message)).toContain('"[image/png, 0 B]"');
    expect(empty.warnings).toHaveLength(1);
  });

  it.each<[DialectName, unknown]>([
    ["openai", openai],
    ["openai-responses", responses],
    ["anthropic", anthropic],
    ["ollama", ollama],
    ["gemini", gemini],
    ["mcp", { name: "chart", arguments: {} }],
  ])("%s: isError is a failed call in the tool's own words", async (format, reply) => {
    const tools = [{ name: "chart", contentBlocks: true, execute: () => ({ content: [text], isError: true }) }];
    const { messages, results } = await ask(format, reply, { tools });
    expect(results[0]).toMatchObject({ status: "error", error: { code: "tool_failed", message: "a chart" } });
    expect(JSON.stringify(messages[0])).toContain("tool_failed");
  });

  it("in a wrapper of several calls: lines, as its one result has no place for media", async () => {
    const uses = [{ recipient_name: "functions.chart", parameters: {} }];
    const wrapper = { name: "multi_tool_use.parallel", arguments: JSON.stringify({ tool_uses: uses }) };
    const reply = { ...openai, tool_calls: [{ id: "a", type: "function", function: wrapper }] };
    const { message, warnings } = await messageOf("openai", reply, [text, image]);
    expect(message).toMatchObject({ content: '["a chart\\n[image/png, 34 kB]"]' });
    expect(warnings).toEqual(hidden("[image/png, 34 kB]"));
  });
});

const replies: readonly (readonly [DialectName, unknown])[] = [
  ["openai", openai],
  ["openai-responses", responses],
  ["anthropic", anthropic],
  ["ollama", ollama],
  ["gemini", gemini],
  ["mcp", { name: "chart", arguments: {} }],
];

async function messageWith(format: DialectName, reply: unknown, result: unknown) {
  const { messages, results, warnings } = await ask(format, reply, {
    tools: [{ name: "chart", execute: () => result }],
  });
  expect(results).toMatchObject([{ status: "ok" }]);
  return { message: messages[0], result: results[0]!.result, warnings: warnings.map(({ message }) => message) };
}

describe("content blocks beside a structured result go along with it", () => {
  const structured = { width: 3 };
  const json = '{"width":3}';
  const result = new ResultWithBlocks(structured, [image, audio]);
  const lost = ["[audio/wav, 3 B]"];

  it.each<[DialectName, unknown, readonly string[], object]>([
    ["openai", openai, ["[image/png, 34 kB]", ...lost], { content: `${json}\n[image/png, 34 kB]\n[audio/wav, 3 B]` }],
    [
      "openai-responses",
      responses,
      lost,
      {
        output: [
          { type: "input_text", text: json },
          { type: "input_image", image_url: `data:image/png;base64,${data}` },
          { type: "input_text", text: "[audio/wav, 3 B]" },
        ],
      },
    ],
    [
      "anthropic",
      anthropic,
      lost,
      {
        content: [
          {
            content: [
              { type: "text", text: json },
              { type: "image", source: { type: "base64", media_type: "image/png", data } },
              { type: "text", text: "[audio/wav, 3 B]" },
            ],
          },
        ],
      },
    ],
    ["ollama", ollama, lost, { content: `${json}\n[audio/wav, 3 B]`, images: [data] }],
    [
      "gemini",
      gemini,
      lost,
      {
        parts: [
          {
            functionResponse: {
              parts: [{ inlineData: { mimeType: "image/png", data } }],
              response: { output: `${json}\n[audio/wav, 3 B]` },
            },
          },
        ],
      },
    ],
    [
      "mcp",
      { name: "chart", arguments: {} },
      [],
      { content: [{ type: "text", text: json }, image, audio], structuredContent: structured },
    ],
  ])("%s", async (format, reply, lines, expected) => {
    const { message, result: got, warnings } = await messageWith(format, reply, result);
    expect(message).toMatchObject(expected);
    expect(got).toEqual(structured);
    expect(warnings).toEqual(lines.length === 0 ? [] : hidden(lines.join(" ")).map((entry) => (entry as string[])[1]));
  });

  it("gemini: a result with only an image beside it remains JSON", async () => {
    const { message } = await messageWith("gemini", gemini, new ResultWithBlocks(structured, [image]));
    expect(message).toMatchObject({ parts: [{ functionResponse: { response: { output: structured } } }] });
  });

  it.each(replies)("%s: base64 is in no text", async (format, reply) => {
    const { message } = await messageWith(format, reply, new ResultWithBlocks("done", [file, audio]));
    expect(format === "mcp" || !JSON.stringify(message).includes(data.slice(0, 100))).toBe(true);
    expect(JSON.stringify(message)).toContain("done");
  });
});

describe("the blocks of another server, which nobody checked,", () => {
  it.each(replies)("%s: reach the model as what they are, or as a line", async (format, reply) => {
    const content = [
      { type: "image", data: "not base64!", mimeType: "image/png" },
      { type: "image", mimeType: "image/png" },
      { type: "audio", data: 5 },
      { type: "hologram" },
      { type: "text" },
      {},
      { type: "resource" },
      { type: "resource", resource: {} },
      { type: "resource_link" },
      "no block",
      { type: "text", text: "the end" },
    ];
    const { message, result, warnings } = await messageWith(format, reply, new ResultWithBlocks({ content }));
    expect(result).toEqual({ content });
    const said = JSON.stringify(message);
    expect(said).toContain("the end");
    expect(said).not.toContain("not base64");
    expect(said).not.toMatch(/undefined|null|\[object/);
    expect(warnings).toHaveLength(1);
  });

  it.each(["image/jpg", "IMAGE/JPEG", "image/jpeg; charset=binary"])("%s is image/jpeg", async (mimeType) => {
    const result = new ResultWithBlocks({ content: [{ ...image, mimeType }] });
    const { message } = await messageWith("anthropic", anthropic, result);
    expect(message).toMatchObject({ content: [{ content: [{ source: { media_type: "image/jpeg" } }] }] });
  });

  it("are whole Unicode too", async () => {
    const half = { type: "text", text: "half \ud83d" };
    for (const result of [new ResultWithBlocks({ content: [half] }), new ResultWithBlocks("x", [half])]) {
      expect(JSON.stringify(await messageWith("openai", openai, result))).toContain("half \ufffd");
    }
  });

  it("count towards the size of the result", async () => {
    const tools = (result: unknown) => [{ name: "chart", resultBytes: 1000, execute: () => result }];
    const big = { type: "text", text: "x".repeat(950) };
    for (const result of [
      new ResultWithBlocks({ content: [big, big] }),
      new ResultWithBlocks("y".repeat(30), [big]),
      new ResultWithBlocks("y", [big, big]),
    ]) {
      const { results } = await ask("openai", openai, { tools: tools(result) });
      expect(results).toMatchObject([{ error: { code: "result_too_large" } }]);
      expect(JSON.stringify(results)).toContain("1000 bytes");
    }
  });

  it("are lines in a wrapper of several calls", async () => {
    const uses = [{ recipient_name: "functions.chart", parameters: {} }];
    const wrapper = { name: "multi_tool_use.parallel", arguments: JSON.stringify({ tool_uses: uses }) };
    const reply = { ...openai, tool_calls: [{ id: "a", type: "function", function: wrapper }] };
    const { message } = await messageWith("openai", reply, new ResultWithBlocks({ a: 1 }, [image]));
    expect(message).toMatchObject({ content: '["{\\"a\\":1}\\n[image/png, 34 kB]"]' });
  });
});
