import type { Registry } from "../core/registry.ts";
import type { Route } from "./app.ts";
import { jsonReply } from "./reply.ts";

export function createOpenApiDocument(_registry: Registry): Route {
  return () => jsonReply({});
}
