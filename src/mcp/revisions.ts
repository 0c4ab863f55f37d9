/** Revisions without a handshake: each request names its revision in `_meta`. */
export const modernRevisions: readonly string[] = ["2026-07-28"];

/** Revisions that begin with `initialize`, the newest first. */
export const legacyRevisions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The two ways of the protocol on the wire. Source: modelcontextprotocol.io/specification/2026-07-28/basic/versioning. */
export type Era = "modern" | "legacy";

/** The keys of `_meta` that the protocol itself uses. */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;
