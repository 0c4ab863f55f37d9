import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { UpstreamError } from "../../../errors/errors.ts";
import { isJsonObject } from "../../../json/object.ts";
import { markRoundedIntegers } from "../../../json/rounded-integers.ts";
import type { FloodLimit } from "../flood-limit.ts";
import type { McpServer } from "../setting.ts";
import { type ServerProcess, startProcess } from "./server-process.ts";

/** The longest line of a server: the largest message. */
export const maxLineBytes = 4_194_304;
/** A server that writes so many lines of something else, one after the other, does not speak MCP. */
const maxStrayLines = 10_000;

export interface StdioListener {
  /** A line of its stderr, or of its stdout if it is not MCP. */
  output(line: string): void;
  /** Not called after a close, which is asked for. */
  ended(reason: string): void;
}

/**
 * The transport of the client to a server over stdin and stdout. The official one limits neither stderr nor lines that are not
 * MCP, passes on other variables of the environment, and leaves processes that the server starts.
 */
export interface StdioTransport extends Transport {
  /** The client recognises a transport over stdio by these two. */
  readonly stderr: null;
  readonly pid: null;
  /** Ends the server now, and reports the reason. */
  fail(reason: string): void;
}

export function createStdioTransport(server: McpServer, flood: FloodLimit, listener: StdioListener): StdioTransport {
  let running: ServerProcess | undefined;
  let starting: Promise<unknown> | undefined;
  let isClosed = false;
  let strayLines = 0;

  const read = (line: string): void => {
    const message = parse(line);
    if (message === undefined) {
      if (line.trim() === "") return;
      if (++strayLines > maxStrayLines) return running?.fail("it writes something other than MCP to its stdout");
      return listener.output(line);
    }
    strayLines = 0;
    // The revision 2025-03-26 has batches.
    for (const each of Array.isArray(message) ? message : [message]) transport.onmessage?.(each as JSONRPCMessage);
  };
  const transport: StdioTransport = {
    stderr: null,
    pid: null,
    async start() {
      const started = startProcess(server, maxLineBytes, {
        line: read,
        errorLine: listener.output,
        linesRead: flood.take,
        ended(reason) {
          running = undefined;
          if (!isClosed) listener.ended(reason);
          transport.onclose?.();
        },
      });
      starting = started.catch(() => undefined);
      running = await started;
    },
    async send(message) {
      if (running === undefined) throw new UpstreamError("The MCP server is not running.", { ran: "no" });
      if ("method" in message) flood.expect();
      running.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      isClosed = true;
      // A process that is being started must not outlive the close.
      await starting;
      await running?.close();
    },
    fail: (reason) => running?.fail(reason),
  };
  return transport;
}

/** @returns undefined for a line that is not a message */
function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(markRoundedIntegers(line));
    return isJsonObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
