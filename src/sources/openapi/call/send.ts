import { parseUrl } from "../../../net/parse-url.ts";
import type { UpstreamRequest } from "../../request/write-request.ts";

const maxRedirects = 3;

/**
 * Sends a request, and follows redirects on its own origin as fetch does. A redirect to another origin is the answer: nothing
 * is sent there, neither credentials nor arguments.
 */
export async function send(request: UpstreamRequest, fetch: typeof globalThis.fetch): Promise<Response> {
  let { url, method, body } = request;
  let headers = request.headers as [string, string][];
  for (let hops = 0; ; hops++) {
    const response = await fetch(url, { method, headers, redirect: "manual", ...(body !== undefined && { body }) });
    const target = redirectTarget(response, url);
    if (target === undefined || hops === maxRedirects) return response;
    void response.body?.cancel().catch(() => undefined);
    url = target;
    if (becomesGet(response.status, method)) {
      method = "GET";
      body = undefined;
      headers = headers.filter(([name]) => name.toLowerCase() !== "content-type");
    }
  }
}

function redirectTarget({ status, headers }: Response, from: string): string | undefined {
  const location = headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const target = parseUrl(Buffer.from(location, "latin1").toString(), from);
  if (target === undefined || target.origin !== new URL(from).origin) return undefined;
  target.username = target.password = "";
  return target.href;
}

/** Fetch standard, HTTP-redirect fetch. */
function becomesGet(status: number, method: string): boolean {
  return status === 303 ? method !== "GET" && method !== "HEAD" : status < 303 && method === "POST";
}
