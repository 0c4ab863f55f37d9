import { ToolError } from "../../src/errors/errors.ts";
import { defineTool, type Tool } from "../../src/tool/tool.ts";
import type { JsonObject } from "../../src/json/object.ts";

/** The tools that recorded turns call, and what they were called with, in the order in which they began. */
export function weatherTools(): { readonly tools: readonly Tool[]; readonly ran: JsonObject[] } {
  const ran: JsonObject[] = [];
  const weather = defineTool({
    name: "weather",
    description: "The weather in a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { type: "string" } },
      required: ["city"],
    },
    async execute(args) {
      ran.push(args);
      // The first to be called is the last to be done.
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 12 - 4 * ran.length)));
      return { city: args["city"], degrees: 4 };
    },
  });
  const now = defineTool({
    name: "now",
    description: "The time.",
    parameters: { type: "object", properties: {} },
    execute(args) {
      ran.push(args);
      throw new ToolError("The clock stands still.");
    },
  });
  return { tools: [weather, now], ran };
}
