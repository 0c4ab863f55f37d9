import { parentPort } from "node:worker_threads";
import { ReadFault, readState } from "../../files/file-state.ts";
import { DocumentRefused } from "./document/read-text.ts";
import type { ThreadAnswer, ThreadInput } from "./read-in-thread.ts";
import { readOpenApi } from "./read-openapi.ts";

parentPort?.on("message", (input: ThreadInput) => parentPort?.postMessage(answer(input)));

function answer({ document, options }: ThreadInput): ThreadAnswer {
  const files = new Map<string, string>();
  const hashes: string[] = [];
  const readFile = (path: string): string | undefined => {
    const { mark, hash, text } = readState(path);
    files.set(path, mark);
    hashes.push(`${path} ${hash}`);
    return text;
  };
  try {
    if (!("path" in document)) {
      return { read: readOpenApi(new TextDecoder().decode(document.bytes), options), files, hash: "" };
    }
    const { path, writtenAs } = document;
    const text = readFile(path);
    if (text === undefined) return { refused: `the file ${writtenAs} does not exist`, files };
    const read = readOpenApi(text, options, { path, read: readFile });
    return { read, files, hash: hashes.join(" ") };
  } catch (error) {
    if (error instanceof DocumentRefused || error instanceof ReadFault) return { refused: error.message, files };
    throw error;
  }
}
