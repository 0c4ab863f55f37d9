import { anonymous } from "../../core/caller.ts";
import type { StartCall } from "../../core/call/start-call.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { createMcpHandler } from "../handler.ts";
import { errorMessage, ProtocolError } from "../json-rpc.ts";
// Its one client asks for the list, and may end its input right after.
import "../list-declarations.ts";
import type { Method, Request } from "../method.ts";
import type { AnswerRequest } from "./serve-lines.ts";

/**
 * Answers requests with the tools of this process. The client started it, so there are no keys: it may use every tool, but for
 * those with an argument that is bound to a claim.
 * @param ready when every source was read once. A list waits for it, and a call of a tool that is not there yet.
 */
export function createLocalAnswer(registry: Registry, startCall: StartCall, ready: Promise<void>): AnswerRequest {
  const handler = createMcpHandler(registry, startCall);
  let isReady = false;
  const waiting = ready.then(() => void (isReady = true));
  return (request, _text, replies, cancellation) => {
    let method: Method;
    try {
      method = handler.find(request);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return replies.respond(errorMessage(error));
    }
    const connection = { caller: anonymous, choice: undefined, cancellation };
    if (isReady || !needsAll(registry, request)) return method(request, connection, replies);
    // What rejects it ends the process.
    waiting.then(
      () => method(request, connection, replies),
      () => undefined,
    );
  };
}

function needsAll(registry: Registry, { method, params: { name } }: Request): boolean {
  if (method === "tools/list") return true;
  return method === "tools/call" && typeof name === "string" && registry.find(name) === undefined;
}
