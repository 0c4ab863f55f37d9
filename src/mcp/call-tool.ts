import type { Call } from "../core/call/call.ts";
import { parentFrom } from "../core/call/span.ts";
import type { StartCall } from "../core/call/start-call.ts";
import { findTool, findUnread, missingTool } from "../core/caller.ts";
import { failedOutcome } from "../core/outcome.ts";
import type { Registry } from "../core/registry/registry.ts";
import { writeCallToolResult } from "../dialects/mcp/call-tool-result.ts";
import { CallError } from "../errors/errors.ts";
import { describeIssues, maxIssues } from "../schema/issues.ts";
import type { Progress } from "../tool/progress.ts";
import type { Incoming } from "./incoming.ts";
import { errorMessage, notificationMessage, resultMessage, rpcCodes } from "./json-rpc.ts";
import type { Method, Replies } from "./method.ts";
import { declaredToolOf } from "../dialects/declared-tool.ts";
import { frames } from "./server-info.ts";

/** `tools/call`. A failure of the call is a result with `isError`, which the model reads; an unknown tool is an error. */
export function createCallTool(registry: Registry, startCall: StartCall): Method {
  return (request, connection, replies) => {
    const { id, era, params, meta, refusals } = request;
    const { name } = params;
    if (typeof name !== "string") {
      return replies.respond(
        errorMessage({ code: rpcCodes.invalidParams, message: "params.name must be a string.", id }),
      );
    }
    const { caller, choice, cancellation, session, parent, headers, requestId } = connection;
    const only = choice?.names;
    const asked = { name, caller, only };
    const entry = findTool(registry, asked);
    if (entry === undefined && findUnread(registry, asked) === undefined) {
      const { message, extras } = missingTool(registry, asked);
      return replies.respond(errorMessage({ code: rpcCodes.invalidParams, message, id, data: dataOf(extras) }));
    }
    const tool = entry === undefined ? undefined : declaredToolOf(entry);
    const frame = frames[era];
    if (refusals.length > 0) {
      const refused = writeCallToolResult(failedOutcome(refusedArguments(refusals)), tool, frame);
      return replies.respond(resultMessage(id, refused));
    }
    const call: Call = {
      name,
      callId: undefined,
      arguments: params["arguments"] ?? {},
      caller,
      cancellation,
      requestId,
      session,
      parent: typeof meta["traceparent"] === "string" ? parentFrom(meta) : parent,
      only,
      headers,
      listener: progressListener(meta["progressToken"], replies),
    };
    startCall(call, (outcome) => replies.respond(resultMessage(id, writeCallToolResult(outcome, tool, frame))));
  };
}

/** @returns undefined if the client has not asked for progress, or cannot get any */
function progressListener(token: unknown, { notify }: Replies): Call["listener"] {
  if (notify === undefined || !isProgressToken(token)) return undefined;
  let last = -Infinity;
  return {
    onProgress({ progress, total, message }: Progress) {
      // Each must be larger than the one before: modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress.
      if (progress <= last) return;
      last = progress;
      const params = { progressToken: token, progress, total, message };
      notify(notificationMessage("notifications/progress", params));
    },
  };
}

/** Whether a request asks for progress. */
export function isProgressToken(token: unknown): token is string | number {
  return typeof token === "string" || Number.isSafeInteger(token);
}

/** The name that was probably meant, for clients that read it. */
function dataOf({ suggestion }: CallError["extras"]): { readonly suggestion: string } | undefined {
  return suggestion === undefined ? undefined : { suggestion };
}

function refusedArguments(refusals: Incoming["refusals"]): CallError {
  const issues = refusals.slice(0, maxIssues).map(({ path, reason }) => ({ path, message: reason, keyword: "json" }));
  return new CallError(
    "invalid_arguments",
    `The arguments contain keys or numbers that are not allowed: ${describeIssues(issues)}. Correct them and call again.`,
    { issues },
  );
}
