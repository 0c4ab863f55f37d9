import type { ErrorBody } from "../../src/errors/errors.ts";
import type { Call } from "../../src/core/call/call.ts";
import { invoke } from "../../src/core/call/invoke.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { createRegistry, type RegistryOptions } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";

/** A tool named `tool` that takes any object, but for what the test says. */
export function toolOf(fields: Partial<Tool>): Tool {
  return {
    name: "tool",
    description: "A tool of the tests.",
    parameters: { type: "object" },
    execute: (args) => args,
    ...fields,
  };
}

/** Calls a registry's only tool once. */
export function callTool(
  fields: Partial<Tool>,
  call: Partial<Call> = {},
  options: RegistryOptions = {},
): Promise<Outcome> {
  const registry = createRegistry({ ...options, tools: [toolOf(fields)] });
  return invoke(registry, { name: "tool", arguments: {}, ...call });
}

/** Calls a tool that echoes its arguments, which the schema checks. */
export function callWith(parameters: JsonSchema, args: unknown, call: Partial<Call> = {}): Promise<Outcome> {
  return callTool({ parameters }, { arguments: args, ...call });
}

export function errorOf(outcome: Outcome): ErrorBody {
  if (outcome.status === "error") return outcome.error;
  throw new Error(`It was expected to fail and gave ${JSON.stringify(outcome.result)}`);
}

export function resultOf(outcome: Outcome): unknown {
  if (outcome.status === "ok") return outcome.result;
  throw new Error(`It was expected to succeed and gave ${JSON.stringify(outcome.error)}`);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
