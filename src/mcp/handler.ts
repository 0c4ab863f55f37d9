import type { StartCall } from "../core/call/start-call.ts";
import type { Registry } from "../core/registry/registry.ts";
import { createCallTool } from "./call-tool.ts";
import { errorMessage, ProtocolError, resultMessage, rpcCodes } from "./json-rpc.ts";
import type { Method, Request } from "./method.ts";
import { type Era, legacyRevisions, modernRevisions } from "./revisions.ts";
import { cacheMembers, frames, serverInfo } from "./server-info.ts";
import { createToolLists } from "./tool-lists.ts";

/** The server's side of the protocol, for every transport. Keeps nothing of earlier requests. */
export interface McpHandler {
  /** @throws ProtocolError if the era has no such method */
  find(request: Request): Method;
}

/**
 * Serves the tools of a registry. Every call goes through `startCall`, with the rights of the caller.
 * @param onFault called with the error of a list that cannot be written
 */
export function createMcpHandler(
  registry: Registry,
  startCall: StartCall,
  onFault?: (error: unknown) => void,
): McpHandler {
  const callTool = createCallTool(registry, startCall);
  const listOf = createToolLists(registry);
  const listTools: Method = ({ id, era, params }, connection, replies) => {
    // Every list is one page, so no cursor is one of ours.
    if ((params["cursor"] ?? undefined) !== undefined) {
      const message = "The cursor is not valid: the list has only one page.";
      return replies.respond(errorMessage({ code: rpcCodes.invalidParams, message, id }));
    }
    listOf(era, connection).then(
      (list) => replies.respond(resultMessage(id, list)),
      (error: unknown) => {
        onFault?.(error);
        replies.respond(errorMessage({ ...listFailed, id }));
      },
    );
  };
  const methods: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
    modern: new Map([
      ["tools/call", callTool],
      ["tools/list", listTools],
      ["server/discover", discover],
    ]),
    legacy: new Map([
      ["tools/call", callTool],
      ["tools/list", listTools],
      ["initialize", initialize],
      ["ping", ({ id }, _connection, replies) => replies.respond(resultMessage(id, "{}"))],
    ]),
  };
  return {
    find({ id, era, method }) {
      const found = methods[era].get(method);
      if (found === undefined) throw new ProtocolError(rpcCodes.methodNotFound, "Method not found", id);
      return found;
    },
  };
}

const listFailed = { code: rpcCodes.internalError, message: "The list of tools cannot be written." } as const;

const initialize: Method = ({ id, params }, _connection, replies) => {
  const { protocolVersion } = params;
  const isKnown = typeof protocolVersion === "string" && legacyRevisions.includes(protocolVersion);
  const result = {
    protocolVersion: isKnown ? protocolVersion : legacyRevisions[0],
    capabilities: { tools: {} },
    serverInfo,
  };
  replies.respond(resultMessage(id, JSON.stringify(result)));
};

const discover: Method = ({ id }, _connection, replies) => {
  const { head, meta } = frames.modern;
  const members = JSON.stringify({ supportedVersions: modernRevisions, capabilities: { tools: {} } }).slice(1, -1);
  replies.respond(resultMessage(id, `{${head}${members},${cacheMembers},"_meta":{${meta}}}`));
};
