import type { Route } from "./route.ts";
import type { Calling } from "./routes/calling.ts";

/**
 * The routes of a door in addition to the service's own, such as MCP over HTTP. It is called for each configuration;
 * state that must outlive a configuration, such as sessions, is created outside of it. @param calling the functions
 * that run calls, and the limits of bodies, which all doors share
 */
export type Door = (calling: Calling) => readonly Route[];
