// A model on this machine, with the tools of a Toolhost on this machine and a tool of this program: no data leaves the machine.
//   ollama pull qwen3 && npx tsx examples/agent/ollama-local.ts "What time is it in Tokyo, and how full is my memory?"
import { freemem, totalmem } from "node:os";
import { Ollama } from "ollama";
import { createAgent, defineTool, ollama } from "toolhost/agent";

const {
  TOOLHOST_URL = "http://127.0.0.1:8080",
  OLLAMA_BASE_URL = "http://127.0.0.1:11434",
  OLLAMA_MODEL = "qwen3",
} = process.env;
const question = process.argv[2] ?? "What time is it in Tokyo, and how full is my memory?";

const agent = createAgent({
  model: ollama(new Ollama({ host: OLLAMA_BASE_URL }), OLLAMA_MODEL, { options: { temperature: 0 } }),
  tools: TOOLHOST_URL,
});
agent.registerTool(
  defineTool({
    name: "get_memory",
    description: "Reports how much memory this machine has, and how much of it is free.",
    parameters: { type: "object", properties: {} },
    execute: () => ({ total_bytes: totalmem(), free_bytes: freemem() }),
  }),
);

// A small model may hang: the signal aborts the chat after two minutes.
const { text, toolCalls, finishReason } = await agent.chat(question, { signal: AbortSignal.timeout(120_000) });
for (const { function: called } of toolCalls) console.log(`called ${called.name} ${called.arguments}`);
console.log(text);
if (finishReason !== "stop") throw new Error(`no complete answer: ${finishReason}`);
