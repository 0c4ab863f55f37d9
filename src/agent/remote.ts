import { readError } from "../errors/error-json.ts";
import { UpstreamError } from "../errors/errors.ts";
import { maxTimeoutMs } from "../tool/check-tool.ts";
import type { Declaration } from "../tool/declaration.ts";
import { refuseBlocks } from "../tool/content-blocks.ts";
import { ResultWithBlocks } from "../core/result-blocks.ts";
import { createRegistry, type Registry } from "../core/registry/registry.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import type { Tool, ToolContext } from "../tool/tool.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { joinGiven } from "./signals.ts";
import { parseUrl } from "../net/parse-url.ts";

/** The address of a running Toolhost, and the key for it. */
export type RemoteToolhost = string | URL | { readonly url: string | URL; readonly key?: string | undefined };

export interface Remote {
  /** The service's tools. Each call runs there. */
  readonly registry: Registry;
  /** Tools of the service that cannot be used from here, with the reason. */
  readonly skipped: readonly Skipped[];
  /** Lists the tools again if they changed. @throws Error if the service cannot be reached */
  refresh(signal: AbortSignal | undefined): Promise<void>;
}

/** Time for the network, so that the service's own limit ends a call before this one does. */
const wayMs = 5000;
const listTimeoutMs = 10_000;
const maxListBytes = 64 * 1_048_576;
const maxResultBytes = 64 * 1_048_576;

/**
 * The tools of a running Toolhost as tools of this process: arguments are checked here, and the tools run there.
 * @throws Error for an invalid URL, and for a key that is not a valid header value
 */
export function createRemote(remote: RemoteToolhost): Remote {
  const { url, key } = typeof remote === "string" || remote instanceof URL ? { url: remote, key: undefined } : remote;
  const base = readBase(url);
  const place = base.origin + base.pathname;
  const headers = headersWith(key);
  const registry = createRegistry({ env: {} });
  let skipped: readonly Skipped[] = [];
  let etag: string | undefined;
  return {
    registry,
    get skipped() {
      return skipped;
    },
    refresh,
  };

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const limit = joinGiven([signal, AbortSignal.timeout(listTimeoutMs)])!;
    const asked = etag === undefined ? headers : { ...headers, "if-none-match": etag };
    const response = await fetch(new URL("tools", base), { headers: asked, signal: limit }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new Error(`The Toolhost at ${place} cannot be reached.`, { cause });
    });
    if (response.status === 304) return;
    const body = await readJson(response, maxListBytes);
    signal?.throwIfAborted();
    if (!response.ok) {
      const advice = base.pathname.endsWith("/tools/") ? " Give the base URL, without /tools." : "";
      throw new Error(`The Toolhost at ${place} answered ${response.status}: ${messageIn(body)}${advice}`);
    }
    const declarations = isJsonObject(body) ? body["tools"] : undefined;
    if (!Array.isArray(declarations))
      throw new Error(
        `The server at ${place} is not a Toolhost, or its list of tools did not arrive completely in time.`,
      );
    const tools = declarations.filter(isJsonObject).map((declaration) => toTool(declaration as unknown as Declaration));
    skipped = registry.replace("toolhost", tools, { trusted: false });
    etag = response.headers.get("etag") ?? undefined;
  }

  function toTool({ name, title, description, parameters, annotations, tags, timeoutMs }: Declaration): Tool {
    return {
      name,
      description,
      parameters,
      ...(title !== undefined && { title }),
      ...(annotations !== undefined && { annotations }),
      ...(tags !== undefined && { tags }),
      timeoutMs: Math.min(timeoutMs + wayMs, maxTimeoutMs),
      resultBytes: maxResultBytes,
      execute: (args, context) => invokeThere(name, args, context),
    };
  }

  async function invokeThere(name: string, args: JsonObject, { signal }: ToolContext): Promise<unknown> {
    const response = await fetch(new URL(`tools/${name}/invoke`, base), {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(args),
      signal,
    }).catch((cause: unknown) => {
      throw new UpstreamError("The service that runs the tool cannot be reached.", { cause });
    });
    const outcome = await readJson(response, maxResultBytes);
    if (isJsonObject(outcome) && outcome["status"] === "ok") return withItsBlocks(outcome["result"]);
    throw toError(isJsonObject(outcome) ? outcome["error"] : undefined, response.status);
  }
}

/** @throws Error if it is not an HTTP URL, or contains a password, which belongs in `key` */
function readBase(url: string | URL): URL {
  const text = String(url);
  const base = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (base === undefined)
    throw new Error("tools must be the URL of a running Toolhost, such as http://127.0.0.1:8080.");
  if (base.username !== "" || base.password !== "") {
    throw new Error("The URL of a Toolhost must not contain a password: pass the key as { url, key }.");
  }
  base.search = "";
  base.hash = "";
  base.pathname = base.pathname.replace(/\/*$/, "/");
  return base;
}

function headersWith(key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error("The key of the Toolhost contains a character that is not allowed in a header.");
  return { authorization: `Bearer ${key}` };
}

/** @returns undefined if the body is not JSON, is larger, or is cut off */
async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** A list of tools does not say which results are content blocks: they are found by their form. */
function withItsBlocks(result: unknown): unknown {
  const content = isJsonObject(result) ? result["content"] : undefined;
  const isBlocks = Array.isArray(content) && content.length > 0 && refuseBlocks(result) === undefined;
  return isBlocks ? new ResultWithBlocks(result) : result;
}

/** The error that the service reported. */
function toError(error: unknown, status: number): Error {
  return (
    readError(error) ??
    new UpstreamError("The service that runs the tool answered with something that is not an outcome.", { status })
  );
}

function messageIn(body: unknown): string {
  const error = isJsonObject(body) ? body["error"] : undefined;
  if (isJsonObject(error) && typeof error["message"] === "string") return error["message"];
  return body === undefined ? "the body is empty or is not JSON." : "the body is not an error of Toolhost.";
}
