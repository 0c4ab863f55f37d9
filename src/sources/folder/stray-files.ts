import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { ToolWarning } from "../../core/observer.ts";

/** A file that looks like a tool's module and is not at its place. */
export interface Stray {
  readonly path: string;
  readonly warning: ToolWarning;
}

const misnamed = /^tool\.(?:cjs|[cm]ts|jsx|tsx)$/i;
const index = /^index\.[cm]?[jt]s$/;
const flat = /^(?!.*\.(?:d|test|spec|config)\.)[^.].*\.[cm]?[jt]s$/;

/** @returns what to do about a module that has not quite the right name, such as `tool.cjs` */
export function findMisnamed(folder: string): string | undefined {
  const name = namesIn(folder).find((each) => misnamed.test(each));
  if (name === undefined) return undefined;
  return `its module is called ${name}: rename it to ${/\.[cm]?tsx?$/.test(name) ? "tool.ts" : "tool.js (CommonJS) or tool.mjs (with import and export)"}`;
}

/** A folder whose module is `index.js`, as that of a package. */
export function findIndex(folder: string): Stray | undefined {
  const name = namesIn(folder).find((each) => index.test(each));
  if (name === undefined) return undefined;
  const message = `${name} is not loaded: if it is a tool, rename it to tool${extname(name).replace("cjs", "js")}`;
  return { path: join(folder, name), warning: { name: basename(folder), message } };
}

/** Modules beside the tool folders. */
export function findFlat(dir: string, files: readonly string[]): Stray[] {
  return files
    .filter((name) => flat.test(name))
    .map((name) => {
      const extension = extname(name);
      const place = `${basename(name, extension)}/tool${extension.replace("cjs", "js")}`;
      const message = `${name} is not loaded: if it is a tool, move it into a separate folder, as ${place}`;
      return { path: join(dir, name), warning: { name, message } };
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
