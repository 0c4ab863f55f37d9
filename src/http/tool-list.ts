import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Caller, findTool, listTools } from "../core/caller.ts";
import { CallError } from "../core/errors.ts";
import { unknownTool } from "../core/invoke.ts";
import type { RegisteredTool } from "../core/registered-tool.ts";
import type { Registry } from "../core/registry.ts";
import { searchTools } from "../core/search.ts";
import type { Route } from "./answer.ts";
import { type Exchange, header } from "./exchange.ts";
import { badQuery, readBoolean, readList, readQuery, readWholeNumber } from "./query.ts";
import type { Reply } from "./reply.ts";

const filterNames = ["names", "tags", "source"] as const;
const listNames = [...filterNames, "q", "limit", "format", "strict", "schema"] as const;
type FilterQuery = Partial<Record<(typeof filterNames)[number], string>>;

const compress = promisify(gzip);
const maxRendered = 64;

interface Rendered {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  gzipped?: Promise<Uint8Array<ArrayBuffer>>;
}

/** Serves the list of tools: written, hashed and compressed once for each version of the registry, query and set of rights. */
export function createToolList(registry: Registry): Route["handle"] {
  const rendered = new Map<string, Rendered>();
  let version = -1;
  return (exchange, caller) => {
    if (version !== registry.version) rendered.clear();
    version = registry.version;
    const key = caller.rights === undefined ? exchange.query : `${exchange.query} ${caller.rights.key}`;
    let list = rendered.get(key);
    if (list === undefined) {
      list = render(registry, caller, exchange.query);
      if (rendered.size >= maxRendered) rendered.delete(rendered.keys().next().value ?? "");
      rendered.set(key, list);
    }
    return replyWith(exchange, list);
  };
}

/** The caller's tools that a query's `names`, `tags` and `source` leave. */
export function filterTools(registry: Registry, caller: Caller, query: FilterQuery): readonly RegisteredTool[] {
  const names = readList("names", query.names);
  const tags = readList("tags", query.tags);
  return listTools(registry, { caller }).filter(
    ({ tool, source }) =>
      (names === undefined || names.includes(tool.name)) &&
      (tags === undefined || tags.some((tag) => tool.tags?.includes(tag))) &&
      (query.source === undefined || query.source === source),
  );
}

/** @throws CallError `bad_request` for a format that is not the service's own */
export function refuseFormat(format: string | undefined): void {
  if (format === undefined || format === "toolhost") return;
  throw badQuery("format", "must be toolhost: this version of Toolhost writes no provider's format");
}

function render(registry: Registry, caller: Caller, queryText: string): Rendered {
  const query = readQuery(queryText, listNames);
  refuseFormat(query.format);
  if (query.schema !== undefined) throw badQuery("schema", "belongs to a provider's format");
  if (readBoolean("strict", query.strict) === true) throw badQuery("strict", "belongs to a provider's format");
  const limit = readWholeNumber("limit", query.limit) ?? Infinity;
  let tools = filterTools(registry, caller, query);
  if (query.q !== undefined) tools = searchTools(tools, query.q);
  const json = JSON.stringify({ tools: tools.slice(0, limit).map((entry) => entry.declaration) });
  const etag = `W/"${createHash("sha256").update(json).digest("base64url").slice(0, 22)}"`;
  return { json: new TextEncoder().encode(json), etag };
}

async function replyWith(exchange: Exchange, list: Rendered): Promise<Reply> {
  const headers: Record<string, string> = {
    etag: list.etag,
    vary: "Authorization, Accept-Encoding",
    "cache-control": "private, no-cache",
  };
  if (matches(header(exchange, "if-none-match"), list.etag)) return { status: 304, headers, body: null };
  headers["content-type"] = "application/json";
  if (!acceptsGzip(header(exchange, "accept-encoding"))) return { status: 200, headers, body: list.json };
  list.gzipped ??= compress(list.json).then((bytes) => new Uint8Array(bytes));
  headers["content-encoding"] = "gzip";
  return { status: 200, headers, body: await list.gzipped };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const offers = acceptEncoding
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const offer = offers.find(([coding]) => coding === "gzip") ?? offers.find(([coding]) => coding === "*");
  return offer !== undefined && !offer.some((part) => /^q=0(?:\.0{0,3})?$/.test(part));
}

/** One declaration. @throws CallError `unknown_tool`, or `unavailable` for one that is known but not listed */
export function findListed(registry: Registry, caller: Caller, name: string): RegisteredTool {
  const entry = findTool(registry, { name, caller });
  if (entry === undefined) throw unknownTool(registry, { name, caller });
  if (entry.unavailable !== undefined) {
    throw new CallError("unavailable", `The tool cannot run now: ${entry.unavailable}.`);
  }
  return entry;
}
