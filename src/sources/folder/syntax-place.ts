import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface Place {
  /** A path or a `file:` URL. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

const run = promisify(execFile);
const limitMs = 5000;
/** A process each: the fault is nearly always in one of the first. */
const maxChecks = 8;
/** `--check` knows no TypeScript. */
const checkable = /\.[cm]?js$/;

/** Reads where Node points to, above the stack of an error: the file and line, the source, and an arrow below it. */
export function readArrow(text: string): Place | undefined {
  const found = /^((?:file:\/\/)?\/[^\n]*?)(?:\?toolhost=\d+)?:(\d+)\n([^\n]*)\n( *)\^/m.exec(text);
  if (found === null) return undefined;
  const [, file = "", line, , indent = ""] = found;
  return { file, line: Number(line), column: indent.length + 1 };
}

/** Node does not say in which ES module a syntax error is. Another Node is asked to read the files one by one. */
export async function findSyntaxFault(files: readonly string[]): Promise<Place | undefined> {
  for (const file of files.filter((each) => checkable.test(each)).slice(0, maxChecks)) {
    try {
      await run(process.execPath, ["--check", file], { timeout: limitMs, env: {} });
    } catch (error) {
      const { stderr } = error as { readonly stderr?: unknown };
      const place = typeof stderr === "string" ? readArrow(stderr) : undefined;
      if (place !== undefined) return place;
    }
  }
  return undefined;
}
