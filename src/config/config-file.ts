import type { KeyOptions } from "../access/keys.ts";
import type { JwtOptions } from "../access/tokens.ts";
import type { SourceSetting } from "../sources/source-kinds.ts";
import type { ToolOverride } from "../tool/overrides.ts";

/**
 * What `toolhost.yaml` may contain. `toolhost.schema.json` describes each field; a test compares it with these types.
 */
export interface ConfigFile {
  readonly tools?: readonly SourceEntry[];
  readonly overrides?: Readonly<Record<string, ToolOverride>>;
  readonly limits?: Partial<ConfigLimits>;
  readonly auth?: { readonly keys?: readonly KeyOptions[]; readonly jwt?: JwtSettings };
  readonly egress?: { readonly allow?: readonly string[] };
  readonly hosts?: readonly string[];
  readonly publicUrl?: string;
  readonly origins?: readonly string[];
}

/** An entry of `tools`: a source, a file that lists some, or the tokens with which workers register theirs. */
export type SourceEntry = SourceSetting | McpServersFile | WorkersEntry;

/** A file with the servers of another MCP client: each is a source. */
export interface McpServersFile {
  readonly mcpServers: string;
}

/** Who may register tools while the service runs. */
export interface WorkersEntry {
  /** Either `tokens` or `token`. */
  readonly workers: {
    readonly tokens?: readonly WorkerTokenSetting[];
    /** A token in plain text, whose workers may offer any tool. */
    readonly token?: string;
  };
  /** Whether the annotations of their tools count for keys, retries and repeated runs. @default false */
  readonly trustAnnotations?: boolean;
}

/** A token of workers. */
export interface WorkerTokenSetting {
  readonly name: string;
  readonly sha256: string;
  /** Names of tools, in which `*` matches any characters. @default every tool */
  readonly tools?: readonly string[];
}

/** The limits of the requests and the calls of the process. */
export interface ConfigLimits {
  /** The largest request body, in bytes. */
  readonly bodyBytes: number;
  /** The largest body of a model's reply, in bytes. */
  readonly replyBytes: number;
  /** The most bytes of request bodies in memory at once. */
  readonly bytesInFlight: number;
  /** The most calls that run at once, over all tools. */
  readonly callsInFlight: number;
  /** How long a call waits for a slot of its tool, in milliseconds. */
  readonly queueMs: number;
  /** Time limit of tools that do not set one, in milliseconds. */
  readonly timeoutMs: number;
}

/** Whose tokens are accepted. */
export interface JwtSettings extends Omit<JwtOptions, "audience" | "fetch"> {
  readonly audience: string;
}
