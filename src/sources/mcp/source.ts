import { type Source, SourceError, type SourceListener } from "../../core/source.ts";
import type { SourceContext } from "../../core/source-context.ts";
import { CallError } from "../../errors/errors.ts";
import type { JsonObject } from "../../json/object.ts";
import type { Tool } from "../../tool/tool.ts";
import { mask, secretsOfEnvironment } from "../credentials/mask.ts";
import { limitUpstream } from "../upstream-limits.ts";
import { type CalledTool, callTool } from "./call.ts";
import { connect, type Connection } from "./connection.ts";
import { connectFailure } from "./connect-failure.ts";
import { createServerFetch } from "./http/guarded-fetch.ts";
import { listTools } from "./list-tools.ts";
import type { ListedMcpSetting } from "./setting.ts";
import { createToolMaker } from "./tools.ts";

export interface McpSourceOptions {
  readonly name: string;
  readonly setting: ListedMcpSetting;
  /** Reaches the URL of a server. Obeys the egress rules. */
  readonly fetch: typeof fetch;
  /** Called with each line that a server writes for people. */
  readonly onOutput?: (line: string) => void;
}

/** The tools of an MCP server. Its connection is made by a read, and stays until it breaks or the source is closed. */
export function createMcpSource({ name, setting, fetch, onOutput = () => undefined }: McpSourceOptions): Source {
  const { mcp, trustAnnotations = false, response = "warn", listedIn } = setting;
  const runWithin = limitUpstream(setting);
  let listener: SourceListener | undefined;
  let connection: Connection | undefined;
  let closing: Promise<void> | undefined;
  let serverFetch: typeof globalThis.fetch | undefined;
  const secrets = secretsOfEnvironment(mcp.env);
  let runningCalls = 0;
  let onIdle: (() => void) | undefined;

  const callOf = async (tool: CalledTool, args: JsonObject, context: SourceContext): Promise<unknown> => {
    runningCalls++;
    try {
      if (connection === undefined) throw notConnected();
      return await callTool(connection, tool, args, context, secrets);
    } finally {
      if (--runningCalls === 0) onIdle?.();
    }
  };
  const makeTools = createToolMaker({
    source: name,
    ...setting,
    execute: (tool) => {
      const run = (args: JsonObject, context: SourceContext): Promise<unknown> =>
        runWithin === undefined ? callOf(tool, args, context) : runWithin(context, () => callOf(tool, args, context));
      return run as Tool["execute"];
    },
  });
  const open = async (signal: AbortSignal): Promise<Connection> => {
    let made: Connection | undefined;
    serverFetch ??= mcp.url === undefined ? fetch : createServerFetch(setting, fetch, secrets);
    made = await connect({
      server: mcp,
      fetch: serverFetch,
      signal,
      listener: {
        output: (line) => onOutput(mask(line, secrets)),
        toolsChanged: () => listener?.changed(),
        ended(reason) {
          if (made !== undefined && connection !== made) return;
          connection = undefined;
          if (closing === undefined && made !== undefined) listener?.dropped(reason);
        },
      },
    });
    return made;
  };
  return {
    name,
    kind: "mcp",
    trust: { trusted: false, trustsAnnotations: trustAnnotations, defaults: { response } },
    async read(signal) {
      signal.throwIfAborted();
      if (closing !== undefined) throw new SourceError("it was closed");
      try {
        connection ??= await open(signal);
        const listed = await listTools(connection, signal);
        return await makeTools(listed, connection.takesParameterHeaders);
      } catch (error) {
        signal.throwIfAborted();
        throw connectFailure(error, secrets);
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
        if (runningCalls > 0) await new Promise<void>((resolve) => (onIdle = resolve));
        await connection?.close();
      })();
      return closing;
    },
  };
}

function notConnected(): CallError {
  const message = "The MCP server behind the tool is not there now. Nothing ran; call again later.";
  return new CallError("unavailable", message, { retryAfterMs: 1000 });
}
