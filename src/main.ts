import { Console } from "node:console";
import { inspect } from "node:util";
import { runCommandLine } from "./cli/command-line.ts";
import { exitProcess } from "./service/process.ts";

const words = process.argv.slice(2);

// If its reader is gone, as in `toolhost list | head -1`, there is nobody to write to.
process.stdout.on("error", () => {});

const writeOut = process.stdout.write.bind(process.stdout);
// The stdout of a command is its answer: what a tool prints goes to stderr.
if (words[0] !== "serve") {
  globalThis.console = new Console(process.stderr);
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

try {
  const code = await runCommandLine(words, {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void writeOut(text),
    err: (text) => void process.stderr.write(text),
    input: readStdin,
    chunks: () => process.stdin,
  });
  if (code !== undefined) end(code);
} catch (error) {
  process.stderr.write(`toolhost: ${inspect(error)}\n`);
  end(1);
}

async function readStdin(): Promise<string> {
  const { text } = await import("node:stream/consumers");
  return text(process.stdin);
}

/** Ends even if a tool left a timer or a socket behind, but not before all is written. */
function end(code: number): void {
  writeOut("", () => exitProcess(code));
}
