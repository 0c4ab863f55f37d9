import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { promisify } from "node:util";
import { isEsModule } from "./relative-imports.ts";

export interface Place {
  /** A path or a `file:` URL. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

const run = promisify(execFile);
const limitMs = 5000;
const maxChecks = 500;
const codeFile = /\.m?js$/;
/** A fault that is not caught is printed with its place. */
const parser = `
  import { readFileSync } from "node:fs";
  import { SourceTextModule } from "node:vm";
  for (const identifier of process.argv.slice(1)) new SourceTextModule(readFileSync(identifier, "utf8"), { identifier });
`;
const parserFlags = ["--experimental-vm-modules", "--no-warnings", "--input-type=module", "--eval", parser, "--"];

/**
 * Reads the place that Node prints above the stack of an error: the file and line, lines of the source, and an arrow
 * below them. At the end of a file there is no arrow.
 */
export function readArrow(text: string): Place | undefined {
  const found =
    /^((?:file:\/\/)?\/[^\n]*?)(?:\?toolhost=\d+)?:(\d+)\n(?:\n\n|[^\n]*\n[ \t]*\n\n|(?:[^\n]*\n){1,3}?([ \t]*)\^)/m.exec(
      text,
    );
  if (found === null) return undefined;
  const [, file = "", line, indent] = found;
  return { file, line: Number(line), column: indent === undefined ? endOfLine(file, Number(line)) : indent.length + 1 };
}

/** Node does not say in which ES module a syntax error is. Another Node is asked to parse the files. */
export async function findSyntaxFault(files: readonly string[]): Promise<Place | undefined> {
  const modules = files.filter((file) => codeFile.test(file) && isModule(file)).slice(0, maxChecks);
  if (modules.length === 0) return undefined;
  try {
    await run(process.execPath, [...parserFlags, ...modules], { timeout: limitMs, env: {} });
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: unknown };
    return typeof stderr === "string" ? readArrow(stderr) : undefined;
  }
}

function isModule(file: string): boolean {
  return extname(file) === ".mjs" || isEsModule(file, readText(file));
}

function endOfLine(file: string, line: number): number {
  return (readText(file).split("\n")[line - 1]?.length ?? 0) + 1;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
