import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ file: string, version: string, major: number }} Node a Node binary that servers are measured on
 */

const ltsFile = fileURLToPath(new URL("node-lts/node_modules/node/bin/node", import.meta.url));

/**
 * The Node releases to measure on: those asked for, or the one that runs this program and the active LTS.
 * @param {string[] | undefined} files
 * @returns {Node[]}
 * @throws Error if one of them does not run
 */
export function findNodes(files = [process.execPath, ltsFile]) {
  const nodes = files.map((file) => describeNode(resolve(file)));
  return nodes.filter(({ version }, index) => nodes.findIndex((other) => other.version === version) === index);
}

function describeNode(file) {
  if (!existsSync(file))
    throw new Error(`There is no ${file}: run \`npm --prefix bench/node-lts ci\`, or name another by --node.`);
  const version = spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.trim();
  if (!version) throw new Error(`${file} does not run as Node.`);
  return { file, version, major: Number(/^v(\d+)/.exec(version)?.[1]) };
}
