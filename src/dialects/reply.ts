import type { CallError } from "../errors/errors.ts";
import type { JsonObject } from "../json/object.ts";
import type { Repair } from "../schema/repair.ts";

/** A call that a model made in its reply. */
export interface ReplyCall {
  /** The id that its result repeats. Undefined if the provider sent none and pairs results by order. */
  readonly id: string | undefined;
  /** As the model wrote it; empty if it named no tool. */
  readonly name: string;
  /** The arguments for the tool if nothing refuses the call: any JSON value. */
  readonly arguments: unknown;
  /** The repairs that were needed to read the arguments. */
  readonly repairs: readonly Repair[];
  /** Why it is not run: this error is its result. */
  readonly refusal: CallError | undefined;
  /** Whether the refusal is about its arguments or its name: with others it may be run. */
  readonly refusalIsArguments: boolean;
  /** The text of the arguments as the model wrote it, if it is not JSON or loses something as JSON. */
  readonly rawArguments: string | undefined;
  /** Fields of its result in addition to what the tool returned. */
  readonly resultFields: JsonObject;
  /** Whether the model that made it accepts no media in results. @default false */
  readonly refusesMedia?: boolean;
  /** The index of an earlier call that it only repeats: it gets that call's result and is not run. */
  readonly twinOf: number | undefined;
}

/** A problem of a reply that did not make it fail. */
export interface ReplyWarning {
  /** The index of the call in the reply, from 0; null if the warning is about the whole reply. */
  readonly call: number | null;
  readonly message: string;
}

/**
 * How a reply ended, regardless of its calls. `length`: at a token limit. `error`: the provider stopped it, for example
 * by a filter, or failed. No call of a reply that did not end normally is run.
 */
export type Finish = "stop" | "length" | "error";

/** A model's reply, independent of the provider. */
export interface Reply {
  readonly finish: Finish;
  /** In the order of the reply. */
  readonly calls: readonly ReplyCall[];
  /** Whether the model has not finished although there is no call: the conversation must be sent again. */
  readonly resume: boolean;
  readonly warnings: readonly ReplyWarning[];
  /** The assistant's own messages byte for byte as received, separated by commas; empty if there are none. */
  echo(): string;
}

/** Thrown for a document that is not a reply of the provider. The message describes what one looks like. */
export class NotAReply extends Error {
  override readonly name = "NotAReply";
}
