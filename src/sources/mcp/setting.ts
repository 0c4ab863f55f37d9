import type { UpstreamAuth } from "../credentials/credentials.ts";

/** An MCP server, as `toolhost.yaml` names it. `toolhost.schema.json` describes each field. */
export interface McpSetting {
  readonly mcp: McpServer;
  /** @default made of the command or the URL */
  readonly name?: string;
  /** Whether its annotations count for keys, retries and second runs. @default false */
  readonly trustAnnotations?: boolean;
  /** Names of tools; `*` matches any characters. @default all tools */
  readonly include?: readonly string[];
  /** @default none */
  readonly exclude?: readonly string[];
  /** What happens to a result that does not match its schema. @default "warn" */
  readonly response?: "warn" | "enforce" | "off";
  /** Sent with every request to a URL. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Calls of the whole source that run at once. @default unlimited */
  readonly concurrency?: number;
  /** @default unlimited */
  readonly callsPerMinute?: number;
  /** For a URL. */
  readonly auth?: UpstreamAuth;
}

/** A server of a file that lists several: a change of the file leads to a reload. */
export interface ListedMcpSetting extends McpSetting {
  /** The absolute path of the file. */
  readonly listedIn?: string;
}

/** Exactly one of `command` and `url`. */
export interface McpServer {
  /** A program that speaks MCP over stdin and stdout. It is started without a shell. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Variables beside the few that every server gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** An absolute path. @default the working folder of this process */
  readonly cwd?: string;
  /** The endpoint of a server over HTTP. */
  readonly url?: string;
  /** With `url`: Streamable HTTP, or the older transport over server-sent events. @default "http" */
  readonly transport?: "http" | "sse";
}
