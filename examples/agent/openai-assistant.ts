// An assistant that searches the web and shows an effect, with the tools of a running Toolhost, in at most three rounds.
// Its text is printed as it arrives. The Toolhost lists web_search if TAVILY_API_KEY is set.
//   OPENAI_API_KEY=… npx tsx examples/agent/openai-assistant.ts "Who won the last Tour de France?"
import OpenAI from "openai";
import { createAgent, openai } from "toolhost/agent";

const { TOOLHOST_URL = "http://127.0.0.1:8080", TOOLHOST_API_KEY, OPENAI_MODEL = "gpt-5.1" } = process.env;
const question = process.argv[2] ?? "Who won the last Tour de France? Celebrate the winner.";

const agent = createAgent({
  model: openai(new OpenAI(), OPENAI_MODEL),
  tools: { url: TOOLHOST_URL, key: TOOLHOST_API_KEY },
  system: "Search before you report news. Use show_effect at most once.",
  maxRounds: 3,
});

const answer = agent.stream(question);
for await (const piece of answer) process.stdout.write(piece);
console.log();

const { toolCalls, rounds, finishReason, usage, warnings } = await answer.result;
for (const { function: called } of toolCalls) console.log(`called ${called.name} ${called.arguments}`);
for (const warning of warnings) console.error(warning);
console.log(`${rounds} rounds, ${usage.inputTokens} tokens read, ${usage.outputTokens} written`);
if (finishReason !== "stop") throw new Error(`no complete answer: ${finishReason}`);
