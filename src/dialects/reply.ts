import type { CallError } from "../errors/errors.ts";
import type { JsonObject } from "../json/object.ts";
import type { Repair } from "../schema/repair.ts";

/** A call that a model made in its reply. */
export interface ReplyCall {
  /** As its result repeats it. Undefined where the provider gave none and goes by the order. */
  readonly id: string | undefined;
  /** As the model wrote it; empty where it named no tool. */
  readonly name: string;
  /** What the tool is called with, where nothing stands against it: any JSON value. */
  readonly arguments: unknown;
  /** What was mended in the arguments to read them. */
  readonly repairs: readonly Repair[];
  /** Why it is not run: its result is this error. */
  readonly refusal: CallError | undefined;
  /** Its refusal is of its arguments or its name: it may be run with others. */
  readonly refusalIsArguments: boolean;
  /** What the model wrote for its arguments, where that is no JSON or loses something as JSON. */
  readonly rawArguments: string | undefined;
  /** What its result holds beside what the tool returned. */
  readonly resultFields: JsonObject;
  /** The model that made it takes no media in results. @default false */
  readonly refusesMedia?: boolean;
  /** The place of an earlier call that it only repeats: that one's result is its own, and it is not run. */
  readonly twinOf: number | undefined;
}

/** Something about a reply that its reader may want to know, and that failed nothing. */
export interface ReplyWarning {
  /** The call's place in the reply, from 0; null where it is about the whole. */
  readonly call: number | null;
  readonly message: string;
}

/**
 * How a reply ended, its calls aside. `length`: at a limit of tokens. `error`: the provider stopped it, as a filter does,
 * or failed. Of what did not end by itself no call is run.
 */
export type Finish = "stop" | "length" | "error";

/** What a model answered, in no provider's words. */
export interface Reply {
  readonly finish: Finish;
  /** In the reply's own order. */
  readonly calls: readonly ReplyCall[];
  /** There is no call, and yet the model has not finished: the conversation is to be sent again. */
  readonly resume: boolean;
  readonly warnings: readonly ReplyWarning[];
  /** The assistant's own messages byte for byte as they came, with commas between; empty where there are none. */
  echo(): string;
}

/** Thrown for a document that is no answer of the provider. The message says what one is. */
export class NotAReply extends Error {
  override readonly name = "NotAReply";
}
