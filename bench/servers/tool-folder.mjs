import { readFileSync } from "node:fs";

/** The same tool folder that Toolhost loads, for the peers: one tool, one pair of schemas, five ways to serve it. */
export async function loadToolFolder(name) {
  const folder = new URL(`../tools/${name}/`, import.meta.url);
  const { tool } = await import(new URL("tool.mjs", folder).href);
  const json = (file) => JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  return { ...tool, parameters: json("parameters.json"), response: json("response.json") };
}
