// The loop by hand, in OpenAI's format: your program checks each call before it runs, and may change it or leave it out.
//   OPENAI_API_KEY=… npx tsx examples/agent/openai-by-hand.ts "Refund order 7, 80 euros, and delete it."
import OpenAI from "openai";
import { createAgent, hasToolCalls, openai, type ToolCall } from "toolhost/agent";

const { OPENAI_MODEL = "gpt-5.1" } = process.env;
const question = process.argv[2] ?? "Refund order 7, 80 euros, and delete it.";
const orders = new Map([[7, { paid: 80, refunded: 0 }]]);

// Tools as OpenAI's own examples write them, each with the function that does its work.
const refund = {
  definition: {
    type: "function",
    function: {
      name: "refund_order",
      description: "Refunds a part of the price of an order. The result contains the amount.",
      parameters: {
        type: "object",
        properties: { order: { type: "integer" }, euros: { type: "number", exclusiveMinimum: 0 } },
        required: ["order", "euros"],
      },
    },
  },
  execute({ order, euros }: { order: number; euros: number }) {
    const found = orders.get(order);
    if (found === undefined) throw Object.assign(new Error(`There is no order ${order}.`), { name: "ToolError" });
    found.refunded += euros;
    return { order, refunded: euros };
  },
} as const;
const remove = {
  definition: {
    type: "function",
    function: {
      name: "delete_order",
      description: "Deletes an order permanently.",
      parameters: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
    },
  },
  execute: ({ order }: { order: number }) => ({ deleted: orders.delete(order) }),
} as const;

const agent = createAgent({ model: openai(new OpenAI(), OPENAI_MODEL), tools: [refund, remove] });

let turn = await agent.chatWithTools(question);
for (let round = 1; hasToolCalls(turn); round++) {
  if (round > 5) throw new Error("no answer in 5 rounds");
  await Promise.all(turn.toolCalls.filter(isAllowed).map((call) => agent.executeToolCall(atMost50(call))));
  turn = await agent.chatWithTools();
}

for (const message of agent.messages) {
  console.log(`${message.role}: ${message.content ?? ""}`);
  if (hasToolCalls(message)) console.log(`  calls ${JSON.stringify(message.tool_calls.map((call) => call.function))}`);
}
if (turn.finishReason !== "stop") throw new Error(`no complete answer: ${turn.finishReason}`);

/** A call that is not run gets an error as its result, so that the model knows. */
function isAllowed({ function: { name } }: ToolCall): boolean {
  return name !== "delete_order";
}

function atMost50(call: ToolCall): ToolCall {
  const args = readObject(call.function.arguments);
  // If the amount is not a number, or the arguments are not JSON, the call is refused when it is run, and the model gets the reason.
  if (typeof args?.euros !== "number") return call;
  const text = JSON.stringify({ ...args, euros: Math.min(args.euros, 50) });
  return { ...call, function: { ...call.function, arguments: text } };
}

function readObject(text: string): { euros?: unknown } | undefined {
  try {
    return JSON.parse(text) as { euros?: unknown };
  } catch {
    return undefined;
  }
}
