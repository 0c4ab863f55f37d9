import type { JsonObject } from "../../../json/object.ts";
import type { SourceContext } from "../../../core/source-context.ts";
import type { RequestPlan } from "../../request/plan.ts";
import { compileRequest, type RequestWriter, type UpstreamRequest } from "../../request/write-request.ts";
import { readAnswer } from "./answer.ts";
import type { Credentials } from "../../credentials/credentials.ts";
import { toFailure } from "./failure.ts";
import { secretsOfHeaders } from "../../credentials/mask.ts";
import type { AccessTokens } from "../../credentials/oauth.ts";
import { send } from "./send.ts";

/** The API behind the operations of a source. */
export interface Upstream {
  /** The URL that all requests stay below. */
  readonly base: string;
  readonly credentials: Credentials;
  /** With OAuth: the tokens that all operations share. */
  readonly tokens?: AccessTokens;
}

/** The fields of {@link SourceContext} that a call needs. */
export type OperationContext = Pick<SourceContext, "signal" | "fetch" | "headers" | "trace">;

/** Runs an operation: arguments that fit its schema in, a result out. */
export type CallOperation = (args: JsonObject, context: OperationContext) => Promise<unknown>;

export interface OperationSettings {
  /** As a failure names it: `GET /pets/{id}`. */
  readonly label: string;
  /** It may be sent again after a 401: it reads only, or is idempotent. */
  readonly isRepeatable: boolean;
  /** The answers are bytes, so that each result is content blocks. @default false */
  readonly asBlocks?: boolean;
}

/**
 * Makes the executor of an operation. It rejects with an UpstreamError for an answer that is not a success and for
 * faults of the network, or with a CallError.
 */
export function createCallOperation(plan: RequestPlan, upstream: Upstream, settings: OperationSettings): CallOperation {
  const { base, credentials, tokens } = upstream;
  let write: RequestWriter | undefined;
  return async (args, context) => {
    // Made by the first call: most operations of a large document are never called.
    write ??= compileRequest(plan, base, credentials.taken);
    const token = tokens === undefined ? undefined : await tokens.get(context.signal);
    const first = writeTraced(write, args, credentials, context, token);
    let response = await send(first, context.fetch);
    let secrets = credentials.secrets;
    if (token !== undefined && tokens !== undefined) {
      secrets = [...secrets, token];
      if (response.status === 401) {
        tokens.refuse(token);
        const renewed = await renew(tokens, settings, context, response);
        if (renewed !== undefined) {
          secrets = [...secrets, renewed];
          response = await send(writeTraced(write, args, credentials, context, renewed), context.fetch);
          if (response.status === 401) tokens.refuse(renewed);
        }
      }
    }
    if (!response.ok) {
      const values = credentials.forwarded.flatMap((name) => context.headers[name] ?? []);
      throw await toFailure(response, settings.label, [...secrets, ...secretsOfHeaders(values)]);
    }
    const result = await readAnswer(response, first.url);
    return settings.asBlocks === true ? toBlocks(result) : result;
  };
}

/** The token to repeat the request with; undefined if the request cannot be repeated. */
async function renew(
  tokens: AccessTokens,
  { isRepeatable }: OperationSettings,
  context: OperationContext,
  response: Response,
): Promise<string | undefined> {
  if (!isRepeatable) return undefined;
  void response.body?.cancel().catch(() => undefined);
  return tokens.get(context.signal);
}

function writeTraced(
  write: RequestWriter,
  args: JsonObject,
  { additions }: Credentials,
  { headers, trace }: OperationContext,
  token: string | undefined,
): UpstreamRequest {
  const request = write(args, additions(headers, token));
  if (trace === undefined || request.headers.some(([name]) => /^trace(?:parent|state)$/i.test(name))) return request;
  const traced = [...request.headers, ["traceparent", trace.traceparent] as const];
  if (trace.tracestate !== undefined) traced.push(["tracestate", trace.tracestate]);
  return { ...request, headers: traced };
}

function toBlocks(result: unknown): unknown {
  const isBlocks =
    typeof result === "object" && result !== null && "content" in result && Array.isArray(result.content);
  if (isBlocks) return result;
  if (result === null) return { content: [] };
  return { content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }] };
}
