import { createRequire } from "node:module";

/** The package's version; empty if a bundler has left its package.json behind. */
export const version = readVersion();

function readVersion(): string {
  try {
    // The package's own name leads to its package.json from src and from dist alike.
    return (createRequire(import.meta.url)("toolhost/package.json") as { version: string }).version;
  } catch {
    return "";
  }
}
