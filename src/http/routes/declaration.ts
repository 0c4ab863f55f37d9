import { type Caller, findTool, missingTool } from "../../core/caller.ts";
import type { RegisteredTool } from "../../core/registry/registered-tool.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { notAvailable } from "../../errors/not-available.ts";
import { jsonReply } from "../http-reply.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";

/** `GET /tools/{name}`: one declaration. */
export function createDeclarationRoute(registry: Registry): Route<"/tools/:name"> {
  return {
    method: "GET",
    path: "/tools/:name",
    isFor: "callers",
    handle(exchange, caller, { name }) {
      readQuery(exchange.query, []);
      const entry = findListed(registry, caller, name);
      return jsonReply(entry.declaration, { vary: "Authorization", "cache-control": "private, no-cache" });
    },
  };
}

/** @throws CallError `unknown_tool`, or `unavailable` for one that is known but not listed, or not known yet */
function findListed(registry: Registry, caller: Caller, name: string): RegisteredTool {
  const entry = findTool(registry, { name, caller });
  if (entry === undefined) throw missingTool(registry, { name, caller });
  if (entry.unavailable !== undefined) throw notAvailable(entry.unavailable);
  return entry;
}
