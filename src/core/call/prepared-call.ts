import type { JsonObject } from "../../json/object.ts";
import type { Repair } from "../../schema/repair.ts";
import type { Outcome } from "../outcome.ts";
import type { Call } from "./call.ts";

/**
 * A call that was admitted and whose arguments were checked. It does not run yet and uses no capacity: it may run later,
 * or never.
 */
export interface PreparedCall {
  /** The call with its id. */
  readonly call: Call & { readonly callId: string };
  /** What the tool gets: repaired, and with the bound arguments. */
  readonly arguments: JsonObject;
  readonly repairs: readonly Repair[] | undefined;
  /**
   * Runs the call, once. Its time limit starts now, and it is not counted again against the caller's rate. If the tool
   * was replaced meanwhile, the new one checks the arguments as they were sent.
   * @param done as for {@link StartCall}
   */
  run(done: (outcome: Outcome) => void): void;
}
