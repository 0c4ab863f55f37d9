import type { ModelDialect } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../json/object.ts";

/** A model as the agent asks it. `openai(client, name)` and its like make one; any other object of this shape will do. */
export interface Model {
  /** Whose words its conversation, tools and replies are in. @default "openai" */
  readonly dialect?: ModelDialect;
  /** Its requests ask it to think: Anthropic then forces no tool. @default false */
  readonly thinking?: boolean;
  /** @returns the provider's whole reply, as its API answers where nothing is streamed */
  generate(request: ModelRequest): Promise<unknown>;
  /** The same reply while it comes: text as it is written, and last the whole. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** What a model is asked: one turn of a conversation. */
export interface ModelRequest {
  /** The conversation in the provider's own items: `messages`, `input` or `contents`, as its API calls them. */
  readonly messages: readonly unknown[];
  readonly system: string | undefined;
  /** The value of the request's `tools`. Empty where it must not be sent. */
  readonly tools: readonly JsonObject[];
  /** The fields that choose tools, such as `{ tool_choice: "auto" }`, to be merged into the request. Empty without tools. */
  readonly toolChoice: Readonly<Record<string, unknown>>;
  /** Fields that repeat what earlier replies told, such as Anthropic's `{ container: "…" }`. The model's own options win. @default none */
  readonly followUp?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  /** The last part: the reply as {@link Model.generate} would have given it. */
  | { readonly type: "reply"; readonly reply: unknown };
