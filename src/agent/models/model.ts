import type { ModelDialect } from "../../dialects/dialects.ts";
import type { JsonObject } from "../../json/object.ts";

/**
 * A model as the agent calls it. `openai(client, name)` and the like create one; any other object of this shape works.
 */
export interface Model {
  /** The dialect of its conversation, tools and replies. @default "openai" */
  readonly dialect?: ModelDialect;
  /** Whether its requests enable thinking: the `anthropic` dialect then does not force a tool. @default false */
  readonly thinking?: boolean;
  /** @returns the provider's whole reply, as its API answers without streaming */
  generate(request: ModelRequest): Promise<unknown>;
  /** The same reply while it arrives: text as it is written, and the whole reply last. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** The request for one turn of a conversation. */
export interface ModelRequest {
  /** The conversation as the provider's own items: `messages`, `input` or `contents` of its API. */
  readonly messages: readonly unknown[];
  readonly system: string | undefined;
  /** The value of the request's `tools`. If empty, the field must not be sent. */
  readonly tools: readonly JsonObject[];
  /**
   * The fields that choose tools, such as `{ tool_choice: "auto" }`, to be merged into the request. Empty without
   * tools.
   */
  readonly toolChoice: Readonly<Record<string, unknown>>;
  /**
   * Fields that repeat values of earlier replies, such as Anthropic's `{ container: "…" }`. The model's own options
   * take precedence.
   * @default none
   */
  readonly followUp?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  /** The last part: the reply as {@link Model.generate} would have returned it. */
  | { readonly type: "reply"; readonly reply: unknown };
