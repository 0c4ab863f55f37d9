import { type Source, SourceError, type SourceListener } from "../../core/source.ts";
import type { SourceContext } from "../../core/source-context.ts";
import { CallError, UpstreamError } from "../../errors/errors.ts";
import type { JsonObject } from "../../json/object.ts";
import type { Tool } from "../../tool/tool.ts";
import { mask, secretsOfEnvironment } from "../credentials/mask.ts";
import { limitUpstream } from "../upstream-limits.ts";
import { type CalledTool, callTool, statusOf } from "./call.ts";
import { connect, type Connection } from "./connection.ts";
import { connectFailure } from "./connect-failure.ts";
import { createFloodLimit } from "./flood-limit.ts";
import { createServerFetch } from "./http/guarded-fetch.ts";
import { type ListedTool, listTools } from "./list-tools.ts";
import type { ListedMcpSetting } from "./setting.ts";
import { toolPrefix } from "../tool-names.ts";
import { createToolMaker } from "./tools.ts";

export interface McpSourceOptions {
  readonly name: string;
  readonly setting: ListedMcpSetting;
  /** Reaches the URL of a server. Obeys the egress rules. */
  readonly fetch: typeof fetch;
  /** Called with each line that a server writes for people. */
  readonly onOutput?: (line: string) => void;
}

/** With what servers answer a session that they do not know: 404 by the specification, others in practice. */
const forgetful = new Set<number | undefined>([400, 404, 410]);

/** The tools of an MCP server. Its connection is made by a read, and stays until it breaks or the source is closed. */
export function createMcpSource({ name, setting, fetch, onOutput = () => undefined }: McpSourceOptions): Source {
  const { mcp, trustAnnotations = false, response = "warn", listedIn } = setting;
  const runWithin = limitUpstream(setting);
  let listener: SourceListener | undefined;
  let connection: Connection | undefined;
  let closing: Promise<void> | undefined;
  let serverFetch: typeof globalThis.fetch | undefined;
  const secrets = secretsOfEnvironment(mcp.env);
  const flood = createFloodLimit();
  const ending = new AbortController();
  let opening: Promise<Connection> | undefined;
  let isReading = false;
  let isSuspended = false;
  let runningCalls = 0;
  let onIdle: (() => void) | undefined;

  const callOf = async (tool: CalledTool, args: JsonObject, context: SourceContext): Promise<unknown> => {
    if (connection === undefined) throw notConnected();
    return callTool(connection, tool, args, context, secrets);
  };
  const callWithin = async (tool: CalledTool, args: JsonObject, context: SourceContext): Promise<unknown> => {
    // A call that waits for its turn counts: a close waits for it.
    runningCalls++;
    try {
      if (runWithin === undefined) return await callOf(tool, args, context);
      return await runWithin(context, () => callOf(tool, args, context));
    } finally {
      if (--runningCalls === 0) onIdle?.();
    }
  };
  const makeTools = createToolMaker({
    source: name,
    ...setting,
    execute: (tool) => {
      const run = (args: JsonObject, context: SourceContext): Promise<unknown> => callWithin(tool, args, context);
      return run as Tool["execute"];
    },
  });
  const open = async (signal: AbortSignal): Promise<Connection> => {
    let made: Connection | undefined;
    serverFetch ??= mcp.url === undefined ? fetch : createServerFetch(setting, fetch, secrets, flood);
    made = await connect({
      server: mcp,
      fetch: serverFetch,
      flood,
      signal,
      listener: {
        output: (line) => onOutput(mask(line, secrets)),
        toolsChanged: () => listener?.changed(),
        suspended(reason) {
          if (closing !== undefined || connection !== made || isSuspended || isReading) return;
          isSuspended = true;
          listener?.dropped(reason);
        },
        ended(reason) {
          if (made === undefined || connection !== made) return;
          connection = undefined;
          // A read that runs fails with it, and is repeated: a notice would count twice.
          if (closing === undefined && !isReading) listener?.dropped(reason);
        },
      },
    });
    return made;
  };
  const reopen = async (signal: AbortSignal): Promise<Connection> => {
    opening = open(AbortSignal.any([signal, ending.signal]));
    const made = await opening;
    if (closing === undefined) return (connection = made);
    await made.close();
    throw new SourceError("it was closed");
  };
  const list = async (signal: AbortSignal): Promise<[Connection, readonly ListedTool[]]> => {
    const kept = connection;
    const used = kept ?? (await reopen(signal));
    try {
      return [used, await listTools(used, signal)];
    } catch (error) {
      if (signal.aborted) {
        // A server over stdio that hangs does not recover by being asked again.
        if (mcp.url === undefined && closing === undefined) used.fail("it did not answer tools/list in time");
        throw error;
      }
      if (mcp.url === undefined && error instanceof UpstreamError) {
        // It is not running, or does not read: the next read starts it again.
        used.fail("it does not accept requests");
        if (connection === used) connection = undefined;
      }
      if (kept === undefined || mcp.url === undefined || !forgetful.has(statusOf(error))) throw error;
    }
    // The server has forgotten the session, as after a restart.
    connection = undefined;
    kept.fail("it ended the session");
    const fresh = await reopen(signal);
    return [fresh, await listTools(fresh, signal)];
  };
  return {
    name,
    kind: "mcp",
    toolPrefix: toolPrefix(name),
    trust: { trusted: false, trustsAnnotations: trustAnnotations, defaults: { response } },
    async read(signal) {
      signal.throwIfAborted();
      if (closing !== undefined) throw new SourceError("it was closed");
      isReading = true;
      try {
        const [used, listed] = await list(signal);
        const reading = await makeTools(listed, used.takesParameterHeaders);
        if (connection !== used) throw new SourceError("it ended while its tools were read");
        isSuspended = false;
        return reading;
      } catch (error) {
        signal.throwIfAborted();
        throw connectFailure(error, secrets);
      } finally {
        isReading = false;
      }
    },
    ...(listedIn !== undefined && {
      files: () => ({ files: new Map([[listedIn, undefined]]), folders: new Map() }),
    }),
    watch(given) {
      listener = given;
    },
    close() {
      closing ??= (async () => {
        ending.abort(new SourceError("it was closed"));
        if (runningCalls > 0) await new Promise<void>((resolve) => (onIdle = resolve));
        await opening?.catch(() => undefined);
        const last = connection;
        connection = undefined;
        await last?.close();
      })();
      return closing;
    },
  };
}

function notConnected(): CallError {
  const message = "The MCP server behind the tool is not connected now. Nothing ran; call again later.";
  return new CallError("unavailable", message, { retryAfterMs: 1000 });
}
