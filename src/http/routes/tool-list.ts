import { inTurns } from "../../async/in-turns.ts";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Caller, listTools, viewKey } from "../../core/caller.ts";
import { declaredToolOf } from "../../dialects/declared-tool.ts";
import { keepByVersion } from "../../core/registry/kept-by-version.ts";
import type { KnownTool } from "../../core/registry/known-tool.ts";
import type { RegisteredTool } from "../../core/registry/registered-tool.ts";
import type { Declaration } from "../../tool/declaration.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { searchTools } from "./tool-search.ts";
import type { Declarations, Listing } from "../../dialects/declarations.ts";
import type { DeclarationOptions } from "../../dialects/dialect.ts";
import { type Exchange, header } from "../exchange.ts";
import { badQuery, readBoolean, readListQuery, readQuery, readWholeNumber } from "../query.ts";
import type { HttpReply } from "../http-reply.ts";
import type { Route } from "../route.ts";

/** The query parameters that choose tools. */
export const filterNames = ["names", "tags", "source"] as const;
export const listNames = [...filterNames, "q", "limit", "format", "strict", "schema"] as const;
export type FilterQuery = Partial<Record<(typeof filterNames)[number], string>>;
type ListQuery = Partial<Record<(typeof listNames)[number], string>>;

const compress = promisify(gzip);
const maxRendered = 64;

interface Rendered {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  gzipped?: Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * `GET /tools`: the list is written, hashed and compressed once for each version of the registry, query and set of
 * rights.
 */
export function createToolListRoute(registry: Registry): Route<"/tools"> {
  return {
    method: "GET",
    path: "/tools",
    isFor: "callers",
    isFrequent: true,
    requestHeaders: ["if-none-match"],
    responseHeaders: ["etag"],
    handle: createToolList(registry),
  };
}

function createToolList(registry: Registry): (exchange: Exchange, caller: Caller) => Promise<HttpReply> {
  const rendered = keepByVersion<Promise<Rendered>>(registry, maxRendered);
  return (exchange, caller) => {
    // A failed list is not kept; all requests that wait for it fail.
    const list = rendered(`${exchange.query} ${viewKey(caller)}`, () => render(registry, caller, exchange.query));
    return list.then((ready) => replyWith(exchange, ready));
  };
}

/** A test whether a query's `names`, `tags` and `source` select a tool. @throws CallError `bad_request` */
export function readFilter(query: FilterQuery): (entry: KnownTool) => boolean {
  // Sets, because each unknown tool of a batch is compared with all tools, and a query may have thousands of names.
  const names = readSet("names", query.names);
  const tags = readSet("tags", query.tags);
  return ({ tool, source }) =>
    (names === undefined || names.has(tool.name)) &&
    (tags === undefined || tool.tags?.some((tag) => tags.has(tag)) === true) &&
    (query.source === undefined || query.source === source);
}

function readSet(name: "names" | "tags", value: string | undefined): ReadonlySet<string> | undefined {
  const list = readListQuery(name, value);
  return list && new Set(list);
}

async function render(registry: Registry, caller: Caller, queryText: string): Promise<Rendered> {
  const query = readQuery(queryText, listNames);
  const options = readListOptions(query);
  const tools = listTools(registry, { caller }).filter(readFilter(query));
  const format = await readListFormat(query.format, options);
  return seal(await declare(tools, query.q, options.limit, format));
}

async function declare(
  all: readonly RegisteredTool[],
  words: string | undefined,
  limit: number,
  format: Format | undefined,
): Promise<object> {
  // Prepared tools make their schemas when these are first read.
  if (words !== undefined) await inTurns(all, ({ tool }) => void tool.parameters);
  const tools = (words === undefined ? all : searchTools(all, words)).slice(0, limit);
  if (format !== undefined) return declareInTurns(tools, format);
  const declarations: Declaration[] = [];
  await inTurns(tools, (entry) => declarations.push(entry.declaration));
  return { tools: declarations };
}

interface ListOptions extends DeclarationOptions {
  readonly limit: number;
}

/** @throws CallError `bad_request` for a value that is not valid in any format */
export function readListOptions({ limit, strict, schema = "json" }: ListQuery): ListOptions {
  if (schema !== "json" && schema !== "openapi") throw badQuery("schema", "must be json or openapi");
  const most = readWholeNumber("limit", limit) ?? Infinity;
  return { limit: most, strict: readBoolean("strict", strict) ?? false, schema };
}

interface Format {
  readonly dialect: Listing;
  readonly options: DeclarationOptions;
}

/** Whether a query's `format` is that of a provider. Only then the code of all formats is loaded. */
export function isOfProvider(format: string | undefined): format is string {
  return format !== undefined && format !== "toolhost";
}

/** @returns undefined for the service's own format */
async function readListFormat(
  format: string | undefined,
  { strict, schema }: ListOptions,
): Promise<Format | undefined> {
  const dialect = isOfProvider(format) ? (await import("./format.ts")).readFormat(format) : undefined;
  if (schema !== "json" && dialect?.schemaForms?.includes(schema) !== true) {
    const { dialects } = await import("../../dialects/dialects.ts");
    const names = Object.values(dialects).filter(({ schemaForms }) => schemaForms?.includes(schema));
    throw badQuery("schema", `requires format=${names.map(({ name }) => name).join(", ")}`);
  }
  if (dialect !== undefined) return { dialect, options: { strict, schema } };
  if (strict) throw badQuery("strict", "requires a provider's format");
  return undefined;
}

async function declareInTurns(tools: readonly RegisteredTool[], { dialect, options }: Format): Promise<Declarations> {
  const { startDeclarations } = await import("../../dialects/declarations.ts");
  const declaring = startDeclarations(dialect, options);
  await inTurns(tools, (entry) => declaring.add(declaredToolOf(entry)));
  return declaring.end();
}

function seal(list: object): Rendered {
  const json = JSON.stringify(list);
  const etag = `W/"${createHash("sha256").update(json).digest("base64url").slice(0, 22)}"`;
  return { json: new TextEncoder().encode(json), etag };
}

async function replyWith(exchange: Exchange, list: Rendered): Promise<HttpReply> {
  const headers: Record<string, string> = {
    etag: list.etag,
    vary: "Authorization, Accept-Encoding",
    "cache-control": "private, no-cache",
  };
  if (matches(header(exchange, "if-none-match"), list.etag)) return { status: 304, headers, body: null };
  headers["content-type"] = "application/json";
  if (!acceptsGzip(header(exchange, "accept-encoding"))) return { status: 200, headers, body: list.json };
  // Once for many answers, so the best compression is worth its time.
  list.gzipped ??= compress(list.json, { level: 9 }).then((bytes) => new Uint8Array(bytes));
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
