// Gemini requests the weather of several cities at once. A call may take 3 seconds; if a call fails, the model explains it.
//   GEMINI_API_KEY=… npx tsx examples/agent/gemini-weather.ts "Is it warmer in Oslo or in Lima?"
import { GoogleGenAI } from "@google/genai";
import { createOutboundFetch, createRegistry, defineTool, UpstreamError } from "toolhost";
import { createAgent, gemini, isToolResult } from "toolhost/agent";

const { WEATHER_BASE_URL = "https://wttr.in", GEMINI_API_KEY = "", GEMINI_MODEL = "gemini-2.5-flash" } = process.env;
const questions = process.argv.slice(2);
if (questions.length === 0) questions.push("Is it warmer in Oslo or in Lima?");

const getWeather = defineTool({
  name: "get_weather",
  description: "Gets the weather in one city right now. Call it once for each city.",
  parameters: { type: "object", properties: { city: { type: "string", minLength: 1 } }, required: ["city"] },
  timeoutMs: 3000,
  annotations: { readOnly: true },
  async execute({ city }, { fetch }) {
    const response = await fetch(`${WEATHER_BASE_URL}/${encodeURIComponent(String(city))}?format=3`);
    if (response.ok) return { weather: (await response.text()).trim() };
    throw new UpstreamError(`The weather service failed with status ${response.status}.`, { status: response.status });
  },
});

// Tools may fetch from this host, and from public addresses.
const fetch = createOutboundFetch({ allow: [new URL(WEATHER_BASE_URL).host] });
const tools = createRegistry({ tools: [getWeather], fetch });
const agent = createAgent({
  model: gemini(new GoogleGenAI({ apiKey: GEMINI_API_KEY }), GEMINI_MODEL),
  tools,
  system: "Answer in one sentence. If a tool fails, say what failed, and do not guess.",
});

for (const question of questions) {
  const said = agent.messages.length;
  const { text, finishReason } = await agent.chat(question);
  for (const { content } of agent.messages.slice(said).filter(isToolResult)) console.log(`get_weather: ${content}`);
  console.log(text);
  if (finishReason !== "stop") throw new Error(`no complete answer: ${finishReason}`);
}
