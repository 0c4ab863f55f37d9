import type { Route } from "./route.ts";
import type { Calling } from "./routes/calling.ts";

/** What the routes of a door may need of the configuration. */
export interface DoorSettings extends Calling {
  readonly publicUrl: string | undefined;
  /** Who issues the tokens of callers. Undefined if no tokens are accepted. */
  readonly tokenIssuer: string | undefined;
}

/**
 * The routes of a door beside the service's own, such as MCP over HTTP. It is called for each configuration; what must
 * outlive one, such as sessions, is made outside of it.
 * @param settings what runs calls, and the limits of bodies, which all doors share
 */
export type Door = (settings: DoorSettings) => readonly Route[];
