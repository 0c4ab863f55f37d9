import type { StartCall } from "../../core/call/start-call.ts";
import type { Registry } from "../../core/registry/registry.ts";
import type { BodyLimits } from "../body/received-body.ts";

/** What the routes that run calls have in common. */
export interface Calling {
  readonly registry: Registry;
  readonly startCall: StartCall;
  /** The request headers that go on to sources, in lower case. */
  readonly forwardedHeaders: ReadonlySet<string>;
  /** Bodies that contain a call, or several that the caller wrote. */
  readonly body: BodyLimits;
  /** Bodies that contain a model's reply, which may have images and long reasoning beside its calls. */
  readonly reply: BodyLimits;
}
