import { basename } from "node:path";

/**
 * A note for those who name a document by a flag: a configuration file that nobody named adds its tools and overrides.
 * @returns undefined if there is no such file
 */
export function noteImpliedFile({
  configFile,
  hasDocument,
  isNamed,
}: {
  readonly configFile: string | undefined;
  /** A flag names a document. */
  readonly hasDocument: boolean;
  /** The file is named by a flag or a variable. */
  readonly isNamed: boolean;
}): string | undefined {
  if (configFile === undefined || isNamed || !hasDocument) return undefined;
  return `${basename(configFile)} of the working folder is used too: its tools and overrides are added to those of --openapi`;
}
