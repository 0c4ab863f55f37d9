import { parseUrl } from "../../net/parse-url.ts";
import type { UpstreamAuth } from "../credentials/credentials.ts";

/** An API with an OpenAPI document, as `toolhost.yaml` names it. `toolhost.schema.json` describes each field. */
export interface OpenApiSetting {
  /** An absolute path or an http or https URL. */
  readonly openapi: string;
  /** How messages name a document in a file: a relative path as the operator wrote it. @default the name of the file */
  readonly writtenAs?: string;
  /** @default made of the document's path */
  readonly name?: string;
  /** @default the document's first server */
  readonly baseUrl?: string;
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** operationIds, or METHOD and a path with `*` in a segment and `**` across segments. @default all operations */
  readonly include?: readonly string[];
  /** @default none */
  readonly exclude?: readonly string[];
  /** What happens to a result that does not match its schema. @default "warn" */
  readonly response?: "warn" | "enforce" | "off";
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Request headers of a call that are sent to the API unchanged. */
  readonly forward?: readonly string[];
  readonly timeoutMs?: number;
  /** Calls of the whole source that run at once. @default unlimited */
  readonly concurrency?: number;
  /** @default unlimited */
  readonly callsPerMinute?: number;
  readonly auth?: UpstreamAuth;
}

/** Whether the document is loaded from a URL. Otherwise it is a file. */
export function isDocumentUrl(location: string): boolean {
  // `https:/x` is one too, and must not be taken for the path of a file: it may contain a password or a key.
  return /^https?:/i.test(location);
}

/** Whether a text is neither a path nor a URL of a document, but a URL of another kind, such as ftp. */
export function isForeignUrl(location: string): boolean {
  return !isDocumentUrl(location) && /^[a-z][a-z0-9+.-]+:\/\//i.test(location);
}

/** The name of a source that has none: that of the document's file without its ending, as far as tool names allow it. */
export function nameOfDocument(location: string): string {
  const path = isDocumentUrl(location) ? (parseUrl(location)?.pathname ?? "") : location;
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const name = file.replace(/\.(?:json|ya?ml)$/i, "").replace(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(name) ? name : `api_${name}`.replace(/_$/, "");
}

/** Whether a URL contains a user or a password, which logs would show. */
export function hasPassword(location: string): boolean {
  const url = isDocumentUrl(location) ? parseUrl(location) : undefined;
  return url !== undefined && (url.username !== "" || url.password !== "");
}
