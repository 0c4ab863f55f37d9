import { parentPort } from "node:worker_threads";
import { ReadFault, readState } from "../../files/file-state.ts";
import { DocumentRefused } from "./document/read-text.ts";
import type { ThreadAnswer, ThreadInput } from "./read-in-thread.ts";
import { readOpenApi } from "./read-openapi.ts";

parentPort?.on("message", (input: ThreadInput) => parentPort?.postMessage(answer(input)));

function answer({ document, options }: ThreadInput): ThreadAnswer {
  const files = new Map<string, string>();
  const readFile = (path: string): string | undefined => {
    const { mark, text } = readState(path);
    files.set(path, mark);
    return text;
  };
  try {
    const text = "path" in document ? readFile(document.path) : new TextDecoder().decode(document.bytes);
    if (text === undefined) return { refused: "the file does not exist", files };
    const local = "path" in document ? { path: document.path, read: readFile } : undefined;
    return { read: readOpenApi(text, options, local), files };
  } catch (error) {
    if (error instanceof DocumentRefused || error instanceof ReadFault) return { refused: error.message, files };
    throw error;
  }
}
