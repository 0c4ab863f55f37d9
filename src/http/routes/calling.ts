import type { StartCall } from "../../core/call/start-call.ts";
import type { Registry } from "../../core/registry/registry.ts";
import type { BodyLimits } from "../body/received-body.ts";

/** The common parameters of the routes that run calls. */
export interface Calling {
  readonly registry: Registry;
  readonly startCall: StartCall;
  /** The request headers that are sent on to sources, in lower case. */
  readonly forwardedHeaders: ReadonlySet<string>;
  /** Bodies that contain a call, or several that the caller wrote. */
  readonly body: BodyLimits;
  /** Bodies that contain a model's reply, which may have images and long reasoning in addition to its calls. */
  readonly reply: BodyLimits;
}
