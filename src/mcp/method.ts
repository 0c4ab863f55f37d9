import type { Call, Cancellation } from "../core/call/call.ts";
import type { Caller, Names } from "../core/caller.ts";
import type { Incoming } from "./incoming.ts";
import type { RequestId } from "./json-rpc.ts";

/** A method of a request. It responds once, and never throws. */
export type Method = (request: Request, connection: Connection, replies: Replies) => void;

/** An {@link Incoming} that gets a response. */
export interface Request extends Incoming {
  readonly id: RequestId;
}

/** What a transport knows of a message beside its text. */
export interface Connection extends Pick<Call, "session" | "parent" | "headers" | "requestId"> {
  readonly caller: Caller;
  /** The tools that there are for this client; all if undefined. */
  readonly choice: Choice | undefined;
  readonly cancellation: Cancellation | undefined;
}

/** Some of the tools. */
export interface Choice {
  /** Equal for choices of the same tools. */
  readonly key: string;
  readonly names: Names;
}

/** Where the messages for a client go, as JSON text. */
export interface Replies {
  /** Gets the response, once. */
  respond(message: string): void;
  /** Gets the notifications that precede it. Absent if the client cannot get any. */
  readonly notify?: ((message: string) => void) | undefined;
}
