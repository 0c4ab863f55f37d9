import { type Caller, listTools, viewKey } from "../../../core/caller.ts";
import { keepByVersion } from "../../../core/registry/kept-by-version.ts";
import type { Registry } from "../../../core/registry/registry.ts";
import type { Exchange } from "../../exchange.ts";
import type { HttpReply } from "../../http-reply.ts";
import type { Route } from "../../route.ts";
import { type OpenApiDocument, readFixedDocument } from "./fixed.ts";
import { withTools } from "./operations.ts";
import { createServerOf, type ServersOptions } from "./servers.ts";
import { toToolsOnly } from "./tools-only.ts";
import { writeDocument } from "./write-document.ts";
import { badQuery, readQuery } from "../../query.ts";
import { filterNames, readFilter } from "../tool-list.ts";

const names = ["only", ...filterNames] as const;
const maxWritten = 16;

/** A document as JSON in two parts; its `servers` are inserted between them. */
interface Written {
  readonly head: string;
  readonly tail: string;
}

/**
 * `GET /openapi.json`: openapi.yaml and one typed operation for each tool that the caller may use and the query
 * selects; with `only=tools` only the tools. Written once for each version of the registry, query and set of rights;
 * the server's URL from a single request is never kept.
 */
export function createOpenApiRoute(registry: Registry, options: ServersOptions): Route<"/openapi.json"> {
  return { method: "GET", path: "/openapi.json", isFor: "callers", handle: createOpenApiDocument(registry, options) };
}

function createOpenApiDocument(
  registry: Registry,
  options: ServersOptions,
): (exchange: Exchange, caller: Caller) => Promise<HttpReply> {
  const serverOf = createServerOf(options);
  const written = keepByVersion<Promise<Written>>(registry, maxWritten);
  return async (exchange, caller) => {
    const fixed = await readFixedDocument();
    const key = `${exchange.query} ${viewKey(caller)}`;
    const { head, tail } = await written(key, () => write(fixed, registry, caller, exchange.query));
    const { url, isOfRequest } = serverOf(exchange);
    const servers = JSON.stringify([{ url, description: "The service that serves this document." }]);
    const headers = {
      "content-type": "application/json",
      vary: "Authorization",
      "cache-control": isOfRequest ? "no-store" : "private, no-cache",
    };
    return { status: 200, headers, body: `${head},"servers":${servers},${tail}` };
  };
}

/** @throws CallError `bad_request` for a malformed query */
async function write(fixed: OpenApiDocument, registry: Registry, caller: Caller, queryText: string): Promise<Written> {
  const query = readQuery(queryText, names);
  if (query.only !== undefined && query.only !== "tools") throw badQuery("only", "must be tools");
  const tools = listTools(registry, { caller }).filter(readFilter(query));
  const whole = await withTools(fixed, tools);
  const { openapi, info, servers: _replaced, ...rest } = query.only === undefined ? whole : toToolsOnly(whole, tools);
  return { head: JSON.stringify({ openapi, info }).slice(0, -1), tail: (await writeDocument(rest)).slice(1) };
}
