import type { Observer } from "../core/observer.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Model } from "./models/model.ts";
import { defaultDialect, findDialect } from "../dialects/dialects.ts";
import type { RemoteToolhost } from "./remote.ts";
import type { AgentTools } from "./tools.ts";
import type { AgentTool, AgentToolChoice } from "./types.ts";

export interface ChatOptions {
  /**
   * Whether the model may or must call tools in its first turn.
   * @default the agent's; "auto" for a chat without a text
   */
  readonly toolChoice?: AgentToolChoice;
  /**
   * Ends the chat: it rejects with the signal's reason, and running tools are stopped. The agent's own signal applies
   * too.
   */
  readonly signal?: AbortSignal;
}

export interface AgentOptions {
  /** Such as `openai(new OpenAI(), "gpt-5.1")`. */
  readonly model: Model;
  /** The URL of a running Toolhost, with a key if it requires one; a registry; or a list of tools. @default none */
  readonly tools?: RemoteToolhost | Registry | readonly AgentTool[];
  readonly system?: string;
  /**
   * Maximum number of model turns for one answer. In the last, the model may not call tools, so that it writes a text.
   * @default 3
   */
  readonly maxRounds?: number;
  /** @default "auto" */
  readonly toolChoice?: AgentToolChoice;
  /** Ends every chat of the agent. */
  readonly signal?: AbortSignal;
  /**
   * Receives the calls of the tools that are given here. A registry has its own observer.
   * @default warns of faults in tools
   */
  readonly observer?: Observer;
}

/** @throws Error that names the wrong option: in JavaScript nothing else would report it */
export function checkOptions({ model, maxRounds = 3, toolChoice = "auto" }: AgentOptions): void {
  if (typeof model !== "object" || typeof model?.generate !== "function" || typeof model.stream !== "function") {
    throw new Error(
      '"model" must be an object with the functions "generate" and "stream", such as openai(new OpenAI(), name).',
    );
  }
  const { dialect = defaultDialect } = model;
  if (findDialect(dialect)?.conversation === undefined) {
    throw new Error(`There is no dialect "${String(dialect)}" for models.`);
  }
  if (!(Number.isInteger(maxRounds) && maxRounds >= 1)) {
    throw new Error("maxRounds must be a whole number of at least 1.");
  }
  checkChoice(toolChoice);
}

const choices: ReadonlySet<unknown> = new Set(["auto", "none", "required"]);

/**
 * @throws Error for an invalid choice, and for a tool that does not exist: each provider refuses that in a different
 * way
 */
export function checkChoice(choice: AgentToolChoice, tools?: AgentTools): void {
  if (choices.has(choice)) return;
  if (typeof choice !== "object" || typeof choice?.tool !== "string") {
    throw new Error('toolChoice must be "auto", "none", "required" or { tool: name }.');
  }
  if (tools === undefined || tools.list().some(({ tool }) => tool.name === choice.tool)) return;
  throw new Error(`toolChoice names the tool "${choice.tool}", which this agent does not have.`);
}
