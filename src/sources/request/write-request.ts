import type { JsonObject } from "../../json/object.ts";
import { parseUrl } from "../../net/parse-url.ts";
import { compileBody } from "./body.ts";
import { compileCookies } from "./cookies.ts";
import { compileHeaders, type HeaderField } from "./headers.ts";
import { compilePath } from "./path.ts";
import type { ParameterPlan, RequestPlan } from "./plan.ts";
import { compileQuery, joinQuery } from "./query.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { noNames, type TakenNames } from "./taken-names.ts";

export interface UpstreamRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body?: string | Uint8Array;
}

/**
 * The service's additions to a request: credentials, static headers and forwarded headers. Arguments cannot use their
 * names.
 */
export interface Additions {
  readonly headers: readonly HeaderField[];
  /** Encoded: `key=abc`. Empty if there is none. */
  readonly query: string;
  /** Encoded: `sid=abc`. Empty if there is none. */
  readonly cookie: string;
}

export const noAdditions: Additions = { headers: [], query: "", cookie: "" };

/** Writes one call's request. @throws CallError `invalid_arguments` */
export type RequestWriter = (args: JsonObject, additions?: Additions) => UpstreamRequest;

/**
 * Makes the writer of an operation, once. Arguments are expected to fit the operation's schema.
 * @param base the URL that all requests stay below
 * @param taken names that no argument can write
 * @throws TypeError if the base is not an http or https URL
 */
export function compileRequest(plan: RequestPlan, base: string, taken: TakenNames = noNames): RequestWriter {
  const { method, accept } = plan;
  const { origin, path: basePath } = readBase(base, plan.basePath);
  const inPath = plan.path.filter((part): part is ParameterPlan => typeof part !== "string");
  const path = compilePath(plan.path);
  const writeQuery = compileQuery(plan.parameters, taken, queryNames(plan.path));
  const writeHeaders = compileHeaders(plan.parameters, taken);
  const writeCookies = compileCookies(plan.parameters, taken);
  // Fetch sends none with these methods, and the specification gives it no meaning there.
  const hasBody = method !== "GET" && method !== "HEAD" && plan.body !== undefined;
  const writeBody = hasBody ? compileBody(plan.body, [...inPath, ...plan.parameters]) : undefined;
  const start = origin + basePath;

  return (args, { headers: added, query: addedQuery, cookie } = noAdditions) => {
    const target = start + path.write(args);
    const query = writeQuery(args, joinQuery(addedQuery, path.query(args)));
    const url = query === "" ? target : `${target}?${query}`;
    const headers: HeaderField[] = [...added];
    if (accept !== undefined && !hasHeader(added, "accept")) headers.push(["accept", accept]);
    writeHeaders(args, headers);
    writeCookieHeader(headers, writeCookies(args, cookie));
    const body = writeBody?.(args);
    refuseOutside(url, origin, basePath);
    if (body === undefined) return { method, url, headers };
    headers.push(["content-type", body.contentType]);
    return { method, url, headers, body: body.content };
  };
}

/**
 * The values are encoded one by one, so that this never happens; it must not happen if one of them is wrong, either.
 */
function refuseOutside(url: string, origin: string, basePath: string): void {
  const written = parseUrl(url);
  const isInside = written?.origin === origin && `${written.pathname}/`.startsWith(`${basePath}/`);
  if (!isInside) throw refuseArgument("", "must not lead to an address outside the tool's API");
}

function readBase(base: string, own: string | undefined): { readonly origin: string; readonly path: string } {
  const url = parseUrl(base);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError("The base is not an http or https URL.");
  const { pathname } = own === undefined ? url : new URL(own, url);
  return { origin: url.origin, path: pathname.replace(/\/+$/, "") };
}

/** The names of the query that is written into a path. */
function queryNames(parts: RequestPlan["path"]): readonly string[] {
  const template = parts.map((part) => (typeof part === "string" ? part : "x")).join("");
  const mark = template.indexOf("?");
  return mark === -1 ? [] : [...new URLSearchParams(template.slice(mark).replace(/#.*/s, "")).keys()];
}

function hasHeader(headers: readonly HeaderField[], name: string): boolean {
  return headers.some(([each]) => each.toLowerCase() === name);
}

/** A `Cookie` header of the operation itself, which some documents have, comes after the cookies. */
function writeCookieHeader(headers: HeaderField[], cookies: string): void {
  if (cookies === "") return;
  const index = headers.findIndex(([name]) => name.toLowerCase() === "cookie");
  if (index === -1) headers.push(["cookie", cookies]);
  else headers[index] = ["cookie", `${cookies}; ${headers[index]![1]}`];
}
