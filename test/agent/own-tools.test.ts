import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { dig, objectsIn } from "../providers/conversation.ts";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { conversationsOf, turnsOf } from "./chat-turns.ts";
import { provide, refusals, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

describe.each(Object.entries(ways))("tools of the provider's own, %s", (_, say) => {
  it.each([
    ["openai-responses", { type: "web_search" }, "output"],
    ["anthropic", { type: "web_search_20250305", name: "web_search", max_uses: 2 }, "content"],
    ["gemini", { googleSearch: {} }, "candidates", { toolConfig: { includeServerSideToolInvocations: true } }],
  ] as [RecordedDialect, object, "output" | "content" | "candidates", object?][])(
    "%s: pass through untouched, and what it ran comes back whole",
    async (dialect, own, field, more = {}) => {
      const turn = turnsOf(dialect);
      const served = turn("server-tools");
      const { provider, model } = await provide(dialect, [served, turn("text")], { tools: [own], ...more });
      const { tools, ran } = weatherTools();
      const agent = createAgent({ model, tools });
      expect(await say(agent, "Weather?")).toMatchObject({ rounds: 1, finishReason: "stop", toolCalls: [] });
      await say(agent, "Thanks.");
      expect(refusals(provider)).toEqual([]);
      expect(ran).toEqual([]);
      expect(objectsIn(provider.requests[0]?.body["tools"])[0]).toEqual(own);
      const [, ...items] = conversationsOf(provider)[1] as unknown[];
      const whole: Readonly<Record<string, unknown>> = {
        output: served["output"],
        content: [{ role: "assistant", content: served["content"] }],
        candidates: [dig(served, "candidates", 0, "content")],
      };
      expect(items.slice(0, -1)).toEqual(whole[field]);
    },
  );
});
