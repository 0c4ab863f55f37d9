import type { Route } from "./route.ts";
import type { Calling } from "./routes/calling.ts";

/** What the routes of a door may need of the configuration. */
export interface DoorSettings extends Calling {
  readonly publicUrl: string | undefined;
  /** Who issues the tokens of callers. Undefined if no tokens are accepted. */
  readonly tokenIssuer: string | undefined;
  /** Receives errors of the service itself; the answers do not contain them. */
  readonly onFault: ((error: unknown) => void) | undefined;
}

/**
 * The routes of a door in addition to the service's own, such as MCP over HTTP. It is called for each configuration;
 * state that must outlive a configuration, such as sessions, is created outside of it.
 * @param settings the functions that run calls, and the limits of bodies, which all doors share
 */
export type Door = (settings: DoorSettings) => readonly Route[];
