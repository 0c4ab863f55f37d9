import { SourceError } from "../../core/source.ts";
import { CallError, UpstreamError } from "../../errors/errors.ts";

/** A document from a URL. */
export interface LoadedDocument {
  readonly bytes: ArrayBuffer;
  /** Where it was found, after redirects. */
  readonly url: string;
  /** For the next request: `undefined` if the server gave none. */
  readonly etag: string | undefined;
}

/**
 * Loads a document.
 * @param etag of the document that is known
 * @returns undefined if the document has not changed
 * @throws SourceError with the reason
 */
export async function loadDocument(
  url: string,
  {
    fetch,
    signal,
    etag,
  }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal; readonly etag?: string | undefined },
): Promise<LoadedDocument | undefined> {
  const headers = {
    accept: "application/json, application/yaml, */*;q=0.5",
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  try {
    const answer = await fetch(url, { headers, signal });
    if (answer.status === 304 && etag !== undefined) return undefined;
    if (!answer.ok) {
      void answer.body?.cancel();
      throw new SourceError(`the URL of the document answers with status ${answer.status}`);
    }
    return { bytes: await answer.arrayBuffer(), url: answer.url || url, etag: answer.headers.get("etag") ?? undefined };
  } catch (error) {
    // Their messages are written for people who may read them.
    if (error instanceof CallError || error instanceof UpstreamError) {
      throw new SourceError(`the document cannot be loaded: ${error.message}`, { cause: error });
    }
    if (error instanceof SourceError || signal.aborted) throw error;
    // Its message may contain the URL, of which parts may be secret.
    throw new SourceError("the document cannot be loaded");
  }
}
