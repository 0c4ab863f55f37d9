import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { markOfFile } from "../../files/file-mark.ts";
import { type Source, SourceError, type SourceReading } from "../../core/source.ts";
import { baseWarnings, findBase } from "./base.ts";
import { loadDocument } from "./load-document.ts";
import { DocumentError, readInThread, type ThreadReading } from "./read-in-thread.ts";
import type { OpenApiOptions } from "./read-openapi.ts";
import type { TakenNames } from "../request/taken-names.ts";
import { hasPassword, isDocumentUrl, type OpenApiSetting } from "./setting.ts";
import { toolPrefix } from "../tool-names.ts";
import { createToolMaker, type ToolMaker } from "./tools.ts";

export interface OpenApiSourceOptions {
  readonly name: string;
  readonly setting: OpenApiSetting;
  /** Loads a document from a URL. */
  readonly fetch: typeof fetch;
  /** The origins of bases by document, over all configurations: a document must not move its server by itself. */
  readonly bases: Map<string, string>;
}

interface FoundDocument extends ThreadReading {
  /** Of a document from a URL. */
  readonly etag?: string | undefined;
  /** Where it was found. */
  readonly url?: string;
}

/** The document that is in force. */
interface Known extends FoundDocument {
  readonly reading: SourceReading;
  readonly origin: string | undefined;
}

/** The operations of an API with an OpenAPI document. A document that did not change is not read again. */
export function createOpenApiSource({ name, setting, fetch, bases }: OpenApiSourceOptions): Source {
  const location = setting.openapi;
  const isLocal = !isDocumentUrl(location);
  const { baseUrl, serverVariables, include, exclude } = setting;
  const options: OpenApiOptions = {
    name,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(serverVariables !== undefined && { serverVariables }),
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
  };
  let maker: ToolMaker | undefined;
  let known: Known | undefined;
  let files: ReadonlyMap<string, string | undefined> = new Map(isLocal ? [[location, undefined]] : []);

  /** @returns undefined if the document in force has not changed */
  const find = async (taken: TakenNames, signal: AbortSignal): Promise<FoundDocument | undefined> => {
    const own = { ...options, taken };
    if (isLocal) {
      const isSame = known !== undefined && [...known.files].every(([path, mark]) => markOfFile(path) === mark);
      const document = { path: location, writtenAs: setting.writtenAs ?? basename(location) };
      if (isSame) return undefined;
      const found = await readInThread({ document, options: own }, signal);
      if (known?.hash !== found.hash) return found;
      known = { ...known, files: (files = found.files) };
      return undefined;
    }
    const loaded = await loadDocument(location, { fetch, signal, etag: known?.etag });
    if (loaded === undefined) return undefined;
    const { bytes, url, etag } = loaded;
    // Some servers have no ETag.
    const hash = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64");
    if (known?.hash === hash && known.url === url) return undefined;
    const found = await readInThread({ document: { bytes }, options: { ...own, documentUrl: url } }, signal);
    return { ...found, etag, hash, url };
  };
  const accept = (found: FoundDocument, { toolsOf }: ToolMaker): Known => {
    const base = findBase(found.read, setting);
    // An operator who writes another baseUrl means it.
    const before = known?.origin ?? (baseUrl === undefined ? bases.get(location) : undefined);
    if (before !== undefined && base !== undefined && before !== base.origin) {
      throw new SourceError(
        `the server of the document moved from ${before} to ${base.origin}; set baseUrl to choose one`,
      );
    }
    const reading: SourceReading = {
      tools: toolsOf(found.read, base),
      skipped: found.read.skipped.map(({ operation, reason, line }) => ({
        name: operation,
        reason: `${reason} (line ${line} of the document)`,
      })),
      warnings: [...baseWarnings(base, setting).map((message) => ({ name, message })), ...found.read.warnings],
    };
    const origin = base?.origin ?? known?.origin;
    // A base URL of the operator says nothing about the document's server.
    if (origin !== undefined && baseUrl === undefined) bases.set(location, origin);
    return { ...found, reading, origin };
  };
  return {
    name,
    kind: "openapi",
    isLocal,
    toolPrefix: toolPrefix(name),
    // The effects of an operation follow from its method, whoever wrote the document.
    trust: { trusted: false, trustsAnnotations: true, defaults: { response: setting.response ?? "warn" } },
    async read(signal) {
      signal.throwIfAborted();
      if (hasPassword(location)) throw new SourceError("the URL of the document must not contain a user or a password");
      try {
        maker ??= createToolMaker(setting, fetch);
        const found = await find(maker.taken, signal);
        if (found !== undefined) {
          files = found.files;
          // Calls go on: the answer of the thread, its tools and their registration take a turn each.
          await setImmediate();
          known = accept(found, maker);
          await setImmediate();
        }
        return known!.reading;
      } catch (error) {
        if (error instanceof DocumentError) files = error.files;
        throw error;
      }
    },
    files: () => ({ files, folders: new Map() }),
  };
}
