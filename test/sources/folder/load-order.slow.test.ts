import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../cli/toolhost.ts";

const dist = new URL("../../../dist/src/", import.meta.url).href;
const loads = 200;

function write(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

/** A folder whose tools need one package that is an ES module: some import it, one requires it. */
function writePair(folder: string): void {
  const definition = (name: string): string =>
    `{ name: "${name}", description: "A tool.", parameters: { type: "object" }, execute: () => id() }`;
  write(
    join(folder, "node_modules/some-id/package.json"),
    '{ "name": "some-id", "type": "module", "exports": "./index.js" }',
  );
  write(
    join(folder, "node_modules/some-id/index.js"),
    'import { part } from "./part.js"; export const id = () => part;',
  );
  write(join(folder, "node_modules/some-id/part.js"), 'export const part = "id";');
  for (const name of ["a", "c", "d"]) {
    write(
      join(folder, name, "tool.mjs"),
      `import { id } from "some-id"; export const tool = ${definition(`${name}_imports`)};`,
    );
  }
  write(join(folder, "b/tool.js"), `const { id } = require("some-id"); exports.tool = ${definition("b_requires")};`);
}

test(
  `a package that one tool imports and another requires is loaded for both, ${loads} times of ${loads}`,
  {
    timeout: 300_000,
  },
  () => {
    const folder = temporaryFolder();
    const folders = Array.from({ length: 20 }, (_, index) => join(folder, String(index)));
    for (const each of folders) writePair(each);
    // Each folder has a package of its own, so that each load is the first of it. Several processes: chance has a part in it.
    const script = `
    const { createTools } = await import("${dist}service/tools.js");
    const { readToolConfig } = await import("${dist}config/read-tools.js");
    const base = { ...(await readToolConfig({}, {})), bundledTools: false };
    const found = [];
    for (const folder of ${JSON.stringify(folders)}) {
      const { registry, load, status } = createTools();
      await load({ ...base, sources: [{ folder }] });
      found.push(registry.list().map(({ tool }) => tool.name).join() + status()[0].skipped.map(({ reason }) => reason));
    }
    console.log(JSON.stringify(found));`;
    for (let left = loads; left > 0; left -= folders.length) {
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        encoding: "utf8",
      });
      expect(stderr).not.toContain("Error");
      expect(new Set(JSON.parse(stdout) as string[])).toEqual(new Set(["a_imports,b_requires,c_imports,d_imports"]));
    }
  },
);
