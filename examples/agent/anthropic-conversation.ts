// A conversation over several turns. The agent keeps the conversation; the tools keep notes for later conversations.
//   ANTHROPIC_API_KEY=… npx tsx examples/agent/anthropic-conversation.ts
import Anthropic from "@anthropic-ai/sdk";
import { anthropic, createAgent, defineTool } from "toolhost/agent";

const { ANTHROPIC_MODEL = "claude-sonnet-5" } = process.env;
const notes: string[] = [];

const remember = defineTool({
  name: "remember",
  description: "Saves one fact about the user for later conversations.",
  parameters: { type: "object", properties: { fact: { type: "string", minLength: 1 } }, required: ["fact"] },
  execute({ fact }) {
    notes.push(String(fact));
    return { notes: notes.length };
  },
});
const recall = defineTool({
  name: "recall",
  description: "Reads all saved facts about the user, from this conversation and earlier ones.",
  parameters: { type: "object", properties: {} },
  execute: () => ({ notes }),
});

const agent = createAgent({
  model: anthropic(new Anthropic(), ANTHROPIC_MODEL, { max_tokens: 1024 }),
  tools: [remember, recall],
  system: "Remember what the user says about themselves. Recall it before you say that you do not know something.",
});

await say("I am Ada, and my favourite colour is green.");
await say("Which colour do I like?");
agent.reset();
console.log("(reset)");
await say("Who am I?");

async function say(text: string): Promise<void> {
  console.log(`> ${text}`);
  const { text: answer, toolCalls, finishReason } = await agent.chat(text);
  for (const { function: called } of toolCalls) console.log(`called ${called.name} ${called.arguments}`);
  console.log(answer);
  console.log(`(${agent.messages.length} messages)`);
  if (finishReason !== "stop") throw new Error(`no complete answer: ${finishReason}`);
}
