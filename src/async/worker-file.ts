import { extname } from "node:path";

/**
 * The file of a worker thread: a module beside the one that starts it. A thread of this Node cannot load TypeScript if the
 * process itself runs from sources by other means than Node's own, such as a test runner: then it is the built file.
 * @param name of the module, without its extension
 * @param starter `import.meta.url` of the module that starts it
 */
export function findWorkerFile(name: string, starter: string): URL {
  const extension = extname(starter);
  const file = new URL(`${name}${extension}`, starter);
  if (extension === ".js" || "typescript" in process.features) return file;
  if (process.execArgv.some((argument) => argument.includes("/tsx/"))) return loadByTsx(file);
  return new URL(file.href.replace(/\/src\/(.*)\.ts$/, "/dist/src/$1.js"));
}

function loadByTsx(file: URL): URL {
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  return new URL(`data:text/javascript,import { register } from ${tsx}; register(); await import("${file.href}");`);
}
