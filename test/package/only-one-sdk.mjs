// What users of `toolhost/agent` do: one SDK beside the package, and none of the others. Part of pack.mjs.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { devDependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const sdks = ["@anthropic-ai/sdk", "@google/genai", "ollama", "openai"];

const withoutSdk = `
import { anthropic, createAgent, gemini, ollama, openai, openaiResponses } from "toolhost/agent";
for (const factory of [anthropic, gemini, ollama, openai, openaiResponses]) {
  if (typeof factory !== "function") throw new Error("a factory is missing");
}
const message = { role: "assistant", content: "Hello." };
const model = { generate: async () => ({ choices: [{ message, finish_reason: "stop" }] }), stream: async function* () {} };
if ((await createAgent({ model }).chat("Hello?")).text !== "Hello.") throw new Error("no answer");
`;

const consumer = `
import OpenAI from "openai";
import { type Agent, type ChatResult, createAgent, defineTool, hasToolCalls, openai, openaiResponses } from "toolhost/agent";

const call = { index: 0, id: "call_1", type: "function", function: { name: "double", arguments: '{"n":2}' } };
const turns = [{ role: "assistant", content: null, tool_calls: [call] }, { role: "assistant", content: "4" }];
const bodies: string[] = [];
const client = new OpenAI({
  apiKey: "key",
  maxRetries: 0,
  async fetch(_url, init) {
    bodies.push(String(init?.body));
    const message = turns[(bodies.length - 1) % 2];
    if (!bodies.at(-1)!.includes('"stream":true')) return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: message, finish_reason: "stop" }] });
    return new Response(\`data: \${chunk}\\n\\ndata: [DONE]\\n\\n\`, { headers: { "content-type": "text/event-stream" } });
  },
});
const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => Number(n) * 2,
});
const agent: Agent = createAgent({ model: openai(client, "gpt-5.1", { temperature: 0 }), tools: [double] });
agent.registerTool({
  definition: { type: "function", function: { name: "greet", parameters: { type: "object", properties: {} } } },
  execute: ({ name }: { name: string }) => \`Hello, \${name}\`,
});

const result: ChatResult = await agent.chat("Double 2");
if (result.text !== "4" || !bodies[1]!.includes('"content":"4"')) throw new Error(JSON.stringify(result));
const stream = agent.stream("Again");
let text = "";
for await (const piece of stream) text += piece;
const { toolCalls } = await stream.result;
if (text !== "4" || toolCalls[0]?.function.name !== "double") throw new Error(text);
const turn = await agent.chatWithTools("By hand", { toolChoice: { tool: "double" } });
if (!hasToolCalls(turn)) throw new Error("no calls");
if ((await agent.executeToolCall(turn.toolCalls[0]!)).content !== "4") throw new Error("not run");
if ((await agent.chat()).text !== "4") throw new Error("no answer");
openaiResponses(client, "gpt-5.1");
`;

const wrong = `
import { createAgent, openai } from "toolhost/agent";
// @ts-expect-error: an agent has a model
createAgent({ tools: [] });
// @ts-expect-error: this is no client
openai({}, "gpt-5.1");
`;

/** @param run runs a file with arguments in a folder. Call it before anything is linked into node_modules: npm takes that away. */
export function checkWithoutSdk({ folder, run, say }) {
  writeFileSync(join(folder, "without-sdk.mjs"), withoutSdk);
  run(process.execPath, ["without-sdk.mjs"], folder);
  say("toolhost/agent works where no SDK is installed");
  run("npm", ["install", "--no-audit", "--no-fund", `openai@${devDependencies.openai}`], folder);
}

/** Types first, then the program that was compiled. Node's own types must be linked. */
export function checkWithOneSdk({ folder, run, say, compiler }) {
  const own = join(folder, "with-openai");
  mkdirSync(own);
  writeFileSync(join(own, "consumer.ts"), consumer);
  writeFileSync(join(own, "wrong.ts"), wrong);
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const compilerOptions = { ...strict, target: "ES2023", module: "NodeNext", types: ["node"], outDir: "out" };
  writeFileSync(join(own, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  assert.deepEqual(
    ownErrors(() => run(process.execPath, [compiler, "-p", own], folder)),
    [],
    "the types of toolhost/agent",
  );
  run(process.execPath, ["with-openai/out/consumer.js"], folder);
  run(process.execPath, ["--import", refusing(sdks), "without-sdk.mjs"], folder);
  say("its types fit openai's client under every strict option; it works, and loads no SDK by itself");
}

/** What the compiler finds in declarations of other packages is theirs. */
function ownErrors(compile) {
  try {
    compile();
    return [];
  } catch (error) {
    const lines = String(error.stdout).split("\n");
    return lines.filter((line) => /error TS/.test(line) && !/node_modules\/(?!toolhost\/)/.test(line));
  }
}

/** A module that fails the import of these packages. */
function refusing(names) {
  const hook = `const names = ${JSON.stringify(names)};
    export async function resolve(specifier, context, next) {
      if (names.some((name) => specifier === name || specifier.startsWith(name + "/"))) throw new Error("loads " + specifier);
      return next(specifier, context);
    }`;
  const data = (source) => `data:text/javascript,${encodeURIComponent(source)}`;
  return data(`import { register } from "node:module"; register(${JSON.stringify(data(hook))});`);
}
