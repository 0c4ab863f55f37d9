import type { KeyOptions } from "../access/keys.ts";
import type { ToolOverrides } from "../tool/overrides.ts";
import type { SourceSetting } from "../sources/source-kinds.ts";
import type { ConfigLimits, JwtSettings, WorkerTokenSetting } from "./config-file.ts";

/** Everything that can be set from outside. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  /**
   * By rank: the folders of the flags, then those of the environment, then the sources of the file. Their paths are
   * absolute.
   */
  readonly sources: readonly SourceSetting[];
  readonly bundledTools: boolean;
  /** The tokens with which workers register their tools. Without any, there are no workers. */
  readonly workerTokens: readonly WorkerTokenConfig[];
  /** Keys in plain text, which may use every tool. */
  readonly apiKeys: readonly string[];
  readonly logLevel: string;
  readonly shutdownDelayMs: number;
  readonly shutdownTimeoutMs: number;
  /** By the tool's name, or a pattern with `*` at its end. Inherits nothing. */
  readonly overrides: ToolOverrides;
  readonly limits: ConfigLimits;
  readonly auth: {
    readonly keys: readonly KeyOptions[];
    readonly jwt: JwtSettings | undefined;
  };
  readonly egress: {
    /** Non-public addresses, networks and names that tools may reach. */
    readonly allow: readonly string[];
    /** The origins of the operator's own `*_BASE_URL` variables, which are allowed too. */
    readonly origins: readonly string[];
  };
  /** The allowed Host names. */
  readonly hosts: readonly string[];
  /** The URL that clients use. */
  readonly publicUrl: string | undefined;
  /** Web origins whose pages may call. */
  readonly origins: readonly string[];
  /** The file that was read, absolute. */
  readonly configFile: string | undefined;
}

/** A token of workers. */
export interface WorkerTokenConfig extends WorkerTokenSetting {
  readonly trustAnnotations: boolean;
}

/** Where the service listens. */
export type ListenAddress = Pick<Config, "host" | "port" | "unixSocket">;

/** The part of it that tools need in a command that does not listen. */
export type ToolConfig = Pick<
  Config,
  "sources" | "bundledTools" | "workerTokens" | "overrides" | "limits" | "egress" | "auth" | "configFile"
>;
