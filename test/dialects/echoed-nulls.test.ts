import { describe, expect, it } from "vitest";
import { checkConversation } from "../providers/check-conversation.ts";
import type { ask } from "./reply-answer.ts";
import { askText } from "./reply-answer.ts";

/** openai/openai-python#3008: what `model_dump_json()` of its SDK writes of a reply with reasoning, words and a call. */
const reasoning = `{"id":"rs_1","summary":[],"type":"reasoning","content":null,"encrypted_content":null,"status":null}`;
const message = `{"id":"msg_1","content":[{"annotations":[],"text":"caf\\u00e9 1.0","type":"output_text","logprobs":null}],"role":"assistant","status":"completed","type":"message","phase":null}`;
const call = `{"arguments":"{\\"location\\": null}","call_id":"call_1","name":"get_weather","type":"function_call","id":"fc_1","async_":null,"caller":null,"namespace":null,"status":null}`;
const dumped = `{"id":"resp_1","status":"completed","error":null,"output":[${reasoning}, ${message},${call}]}`;
const warning = { call: null, message: "Members of the reply that are null were left out: the provider refuses them." };

describe("an echo", () => {
  it("leaves out the nulls that Responses refuses, and nothing else", async () => {
    const text = await askText("openai-responses", dumped, { query: "&echo=true" });
    expect(text).toContain('{"id":"rs_1","summary":[],"type":"reasoning","encrypted_content":null}');
    expect(text).toContain('"content":[{"annotations":[],"text":"caf\\u00e9 1.0","type":"output_text"}]');
    expect(text).toContain('"phase":null}');
    expect(text).toContain(
      '{"arguments":"{\\"location\\": null}","call_id":"call_1","name":"get_weather","type":"function_call","id":"fc_1"}',
    );
    const answer = JSON.parse(text) as Awaited<ReturnType<typeof ask>>;
    expect(answer.warnings).toContainEqual(warning);
    expect(answer.messages.at(-1)).not.toHaveProperty("caller");
    const input = [{ role: "user", content: "Weather?" }, ...answer.messages];
    expect(checkConversation("openai-responses", input, [])).toEqual([]);
    const unmended = [...(JSON.parse(`[${reasoning},${message},${call}]`) as unknown[]), answer.messages.at(-1)];
    expect(checkConversation("openai-responses", unmended, [])).not.toEqual([]);
  });

  it.each([
    [
      "openai-responses",
      `[${message.replace(',"logprobs":null', "")} ,{ "type":"function_call","call_id":"c", "name":"now","arguments":"{}" }]`,
    ],
    [
      "openai",
      '{"role": "assistant","content":null, "refusal" : null,"tool_calls":[{"id":"c","type":"function","function":{"name":"now","arguments":"{}"}}],"function_call":null}',
    ],
    [
      "anthropic",
      '{"role":"assistant","content":[{"type":"text","text":"a","citations":null}, {"type":"tool_use","id":"c","name":"now","input":{"caller":null}}]}',
    ],
    ["gemini", '{"role":"model","parts":[{"text":null,"function_call":{"id":null,"name":"now","args":{}}}]}'],
    [
      "ollama",
      '{"role":"assistant","content":"", "thinking":null,"tool_calls":[{"function":{"name":"now","arguments":{}}}]}',
    ],
  ] as const)("is byte for byte where there are none of these: %s", async (format, reply) => {
    const text = await askText(format, reply, { query: "&echo=true" });
    const own = reply.startsWith("[") ? reply.slice(1, -1) : reply;
    expect(text.startsWith(`{"messages":[${own},`)).toBe(true);
    expect((JSON.parse(text) as { warnings: unknown[] }).warnings).not.toContainEqual(warning);
  });

  it.each([
    ["openai", '{"role":"assistant","content":"Hi","tool_calls":null}', '{"role":"assistant","content":"Hi"}'],
    [
      "anthropic",
      '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"now","input":{},"caller":null}]}',
      '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"now","input":{}}]}',
    ],
  ] as const)("leaves out those of %s", async (format, reply, echoed) => {
    const text = await askText(format, reply, { query: "&echo=true" });
    expect(text).toContain(`{"messages":[${echoed}`);
    expect((JSON.parse(text) as { warnings: unknown[] }).warnings).toContainEqual(warning);
  });
});
