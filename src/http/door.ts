import type { Route } from "./route.ts";
import type { Calling } from "./routes/calling.ts";

/**
 * The routes of a door beside the service's own, such as MCP over HTTP. It is called for each configuration; what must
 * outlive one, such as sessions, is made outside of it.
 * @param calling what runs calls, and the limits of bodies, which all doors share
 */
export type Door = (calling: Calling) => readonly Route[];
