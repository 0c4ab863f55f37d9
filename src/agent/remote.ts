import { CallError, errorCodes, type ErrorCode, type ErrorExtras, UpstreamError } from "../core/errors.ts";
import type { Declaration } from "../core/declaration.ts";
import { isJsonObject } from "../core/json.ts";
import type { JsonObject } from "../core/json-schema.ts";
import { createRegistry, type Registry } from "../core/registry.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import { joinSignals } from "./signals.ts";

/** Where a running Toolhost is, and with which key it is asked. */
export type RemoteToolhost = string | URL | { readonly url: string | URL; readonly key?: string | undefined };

export interface Remote {
  /** Its tools, each of which runs there. */
  readonly registry: Registry;
  /** Lists them anew, where they changed. @throws Error where the service cannot be asked */
  refresh(signal: AbortSignal | undefined): Promise<void>;
}

/** Time for the way to the service, so that its own limit ends a call before ours does. */
const wayMs = 5000;
const maxTimeoutMs = 900_000;
const listTimeoutMs = 10_000;
const maxResultBytes = 64 * 1_048_576;

/** The tools of a running Toolhost as tools of this process: arguments are checked here, and run there. */
export function createRemote(remote: RemoteToolhost): Remote {
  const { url, key } = typeof remote === "string" || remote instanceof URL ? { url: remote, key: undefined } : remote;
  const base = readBase(url);
  const place = base.origin + base.pathname;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const registry = createRegistry({ env: {} });
  let etag: string | undefined;
  return { registry, refresh };

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const limit = joinSignals([signal, AbortSignal.timeout(listTimeoutMs)])!;
    const known = etag === undefined ? headers : { ...headers, "if-none-match": etag };
    const response = await fetch(new URL("tools", base), { headers: known, signal: limit }).catch((cause) => {
      signal?.throwIfAborted();
      throw new Error(`The Toolhost at ${place} cannot be reached.`, { cause });
    });
    if (response.status === 304) return;
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new Error(`The Toolhost at ${place} answered ${response.status}: ${messageIn(body)}`);
    const declarations = isJsonObject(body) ? body["tools"] : undefined;
    if (!Array.isArray(declarations)) throw new Error(`What answers at ${place} is no Toolhost.`);
    registry.replace(
      "toolhost",
      declarations.map((declaration) => toTool(declaration as Declaration)),
    );
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
    const outcome: unknown = await response.json().catch(() => undefined);
    if (isJsonObject(outcome) && outcome["status"] === "ok") return outcome["result"];
    throw toError(isJsonObject(outcome) ? outcome["error"] : undefined, response.status);
  }
}

/** @throws Error where it is no URL of HTTP */
function readBase(url: string | URL): URL {
  const text = String(url).replace(/\/*$/, "/");
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw new Error("tools must be the URL of a running Toolhost, such as http://127.0.0.1:8080.");
}

/** The service's own error, as it would have been here. */
function toError(error: unknown, status: number): Error {
  if (isJsonObject(error)) {
    const { code, message, ...extras } = error;
    if (typeof code === "string" && Object.hasOwn(errorCodes, code) && typeof message === "string") {
      return new CallError(code as ErrorCode, message, extras as ErrorExtras);
    }
  }
  return new UpstreamError("The service that runs the tool answered with what is no outcome.", { status });
}

function messageIn(body: unknown): string {
  const error = isJsonObject(body) ? body["error"] : undefined;
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : "it said nothing more.";
}
