import type { ConfigFile } from "./file-shape.ts";

type Auth = NonNullable<ConfigFile["auth"]>;

/** A key by its hash, with what it may use. */
export type KeySettings = NonNullable<Auth["keys"]>[number];

/** Whose tokens are taken. */
export type JwtSettings = NonNullable<Auth["jwt"]>;

/** What the operator wants otherwise for a tool. */
export type ToolOverride = NonNullable<ConfigFile["overrides"]>[string];

/** Everything that can be set from outside. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  /** Folders that hold tool folders, absolute: of the flags, the environment and the file, in this order. */
  readonly toolFolders: readonly string[];
  readonly bundledTools: boolean;
  /** Keys in plain, which may use every tool. */
  readonly apiKeys: readonly string[];
  readonly logLevel: string;
  readonly shutdownDelayMs: number;
  readonly shutdownTimeoutMs: number;
  /** By the tool's name, or a pattern with `*` at its end. Inherits nothing. */
  readonly overrides: Readonly<Record<string, ToolOverride>>;
  readonly limits: {
    /** The largest request body, in bytes. */
    readonly bodyBytes: number;
    /** The largest body of a model's reply, in bytes. */
    readonly replyBytes: number;
    /** Bytes of request bodies that are in memory at once. */
    readonly bytesInFlight: number;
    /** Calls that may run at once, over all tools. */
    readonly callsInFlight: number;
    /** How long a call waits for a slot of its tool, in milliseconds. */
    readonly queueMs: number;
    /** Time limit of tools that name none, in milliseconds. */
    readonly timeoutMs: number;
  };
  readonly auth: {
    readonly keys: readonly KeySettings[];
    readonly jwt: JwtSettings | undefined;
  };
  readonly egress: {
    /** Addresses, networks and names that tools may reach though they are not public. */
    readonly allow: readonly string[];
    /** Origins that the operator's own `*_BASE_URL` name: allowed too. */
    readonly origins: readonly string[];
  };
  /** Host names that the service answers to. */
  readonly hosts: readonly string[];
  /** Where clients find the service. */
  readonly publicUrl: string | undefined;
  /** Web origins whose pages may call. */
  readonly origins: readonly string[];
  /** The file that was read, absolute. */
  readonly configFile: string | undefined;
}

/** Where the service listens. */
export type ListenAddress = Pick<Config, "host" | "port" | "unixSocket">;

/** The part of it that tools need where nothing listens. */
export type ToolConfig = Pick<
  Config,
  "toolFolders" | "bundledTools" | "overrides" | "limits" | "egress" | "configFile"
>;
