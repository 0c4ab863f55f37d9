import fs, { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commonJsToolOf, type ToolsFolder, toolOf, toolsFolder } from "./tools-folder.ts";

/** A folder that is complete after a change, whenever the change happens. */
interface Scenario {
  readonly before: Readonly<Record<string, string>>;
  /** The writer's steps: each happens at one moment, in this order. */
  readonly steps: readonly ((path: string) => void)[];
  /** The results of the tools in the end; all other folders contain no tool. */
  readonly after: Readonly<Record<string, unknown>>;
}

const put =
  (file: string, text: string) =>
  (path: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
const drop =
  (file: string) =>
  (path: string): void =>
    rmSync(join(path, file), { recursive: true, force: true });
const replace =
  (file: string, text: string) =>
  (path: string): void => {
    writeFileSync(join(path, ".new"), text);
    renameSync(join(path, ".new"), join(path, file));
  };
const link =
  (target: string, name: string) =>
  (path: string): void => {
    symlinkSync(target, join(path, ".link"));
    renameSync(join(path, ".link"), join(path, name));
  };

const esm = toolOf("t", "value", 'import { value } from "./helper.mjs";');
const commonJs = commonJsToolOf("t", "value", 'const { value } = require("./helper");');
const second = commonJsToolOf("u", "value", 'const { value } = require("../t/helper");');
const esmValue = (value: number): string => `export const value = ${value};`;
const value = (number: number): string => `exports.value = ${number};`;
const computed = 'const value = (await import(["./late", "mjs"].join("."))).value;';

const scenarios: Readonly<Record<string, Scenario>> = {
  "a file is written again": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [put("t/helper.js", value(2))],
    after: { t: 2 },
  },
  "an imported file is written again": {
    before: { "t/tool.mjs": esm, "t/helper.mjs": esmValue(1) },
    steps: [put("t/helper.mjs", esmValue(2))],
    after: { t: 2 },
  },
  "another file is put in a file's place": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [replace("t/helper.js", value(2))],
    after: { t: 2 },
  },
  "a file changes, there and back": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [put("t/helper.js", value(22)), put("t/helper.js", value(1))],
    after: { t: 1 },
  },
  "a file breaks, and is repaired": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [put("t/helper.js", "throw 1;"), put("t/helper.js", value(1))],
    after: { t: 1 },
  },
  "a file goes, and comes again": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [drop("t/helper.js"), put("t/helper.js", value(2))],
    after: { t: 2 },
  },
  "a file that two tools require is written again": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1), "u/tool.js": second },
    steps: [put("t/helper.js", value(2))],
    after: { t: 2, u: 2 },
  },
  "a folder of tools comes": {
    before: { "a/empty.txt": "" },
    steps: [
      put("t/tool.mjs", ""),
      put("t/tool.mjs", esm),
      put("t/helper.mjs", "export const val"),
      put("t/helper.mjs", esmValue(1)),
    ],
    after: { t: 1 },
  },
  "a folder of tools comes, the helper first": {
    before: {},
    steps: [
      put("t/deep/er.js", value(1)),
      put("t/helper.js", 'module.exports = require("./deep/er");'),
      put("t/tool.js", commonJs),
    ],
    after: { t: 1 },
  },
  "a folder goes, and comes again": {
    before: { "t/tool.js": commonJs, "t/helper.js": value(1) },
    steps: [drop("t"), put("t/helper.js", value(2)), put("t/tool.js", commonJs)],
    after: { t: 2 },
  },
  "a folder is put in the place of a file of its name": {
    before: { t: "" },
    steps: [drop("t"), put("t/tool.js", commonJsToolOf("t", "1"))],
    after: { t: 1 },
  },
  "the link to a folder leads elsewhere": {
    before: { ".1/tool.js": commonJsToolOf("t", "1"), ".2/tool.js": commonJsToolOf("t", "2"), "a/empty.txt": "" },
    steps: [link(".1", "t"), link(".2", "t")],
    after: { t: 2 },
  },
  "a module comes that has precedence": {
    before: { "t/tool.js": commonJsToolOf("t", "1") },
    steps: [put("t/tool.mjs", toolOf("t", "2"))],
    after: { t: 2 },
  },
  "a helper comes that has precedence": {
    before: { "t/tool.js": commonJs, "t/helper/index.js": value(1) },
    steps: [put("t/helper.js", value(2))],
    after: { t: 2 },
  },
  "a file comes whose name is known when the module runs": {
    before: { "t/tool.mjs": toolOf("t", "value", computed) },
    steps: [put("t/late.mjs", "export const val"), put("t/late.mjs", esmValue(1))],
    after: { t: 1 },
  },
  "schemas come": {
    before: { "t/tool.js": 'exports.tool = { name: "t", description: "A tool.", execute: () => 1 };' },
    steps: [put("t/parameters.json", '{ "type"'), put("t/parameters.json", '{ "type": "object" }')],
    after: { t: 1 },
  },
};

/** Of moments for the steps of a scenario. */
const maxWays = 40;

/** Called before each question to the file system. */
let onQuestion: () => void = () => undefined;
const original = { statSync: fs.statSync, readFileSync: fs.readFileSync, readdirSync: fs.readdirSync };
const native = fs.realpathSync.native;
const { readdir } = fs.promises;

describe("a folder that changes while it is read", () => {
  beforeAll(() => {
    const stopAt =
      <A extends readonly unknown[], R>(ask: (...args: A) => R) =>
      (...args: A): R => {
        if (String(args[0]).includes("toolhost-tools-")) onQuestion();
        return ask(...args);
      };
    for (const [name, ask] of Object.entries(original)) Object.assign(fs, { [name]: stopAt(ask as never) });
    Object.assign(fs.realpathSync, { native: stopAt(native) });
    Object.assign(fs.promises, { readdir: stopAt(readdir) });
    syncBuiltinESMExports();
  });
  afterAll(() => {
    Object.assign(fs, original);
    Object.assign(fs.realpathSync, { native });
    Object.assign(fs.promises, { readdir });
    syncBuiltinESMExports();
  });

  test.each(Object.entries(scenarios))("is complete in the end, whenever %s", async (_name, scenario) => {
    const { steps, before } = scenario;
    const count = await questionsOf(await toolsFolder(before));
    const moments = choose(steps.length, count + 1);
    const folders = await Promise.all(moments.map(async () => toolsFolder(before)));
    // What was just written is read again in any case.
    await sleep(100);
    const faults: string[] = [];
    for (const [index, when] of moments.entries()) {
      const fault = await changeWhileRead(folders[index]!, scenario, when);
      if (fault !== undefined) faults.push(`changed before questions ${when.join()} of ${count}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});

/** How many questions a read asks. */
async function questionsOf({ load }: ToolsFolder): Promise<number> {
  let count = 0;
  onQuestion = () => void count++;
  await load();
  onQuestion = () => undefined;
  return count;
}

async function changeWhileRead(folder: ToolsFolder, { steps, after }: Scenario, when: readonly number[]) {
  const left = steps.map((step, index) => ({ step, at: when[index] ?? 0 }));
  let asked = 0;
  const ask = (): void => {
    const due = left.splice(0, left.filter(({ at }) => at <= asked).length);
    asked++;
    // A step asks questions too, which are not the reader's.
    onQuestion = () => undefined;
    for (const { step } of due) step(folder.path);
    onQuestion = ask;
  };
  onQuestion = ask;
  await folder.load();
  onQuestion = () => undefined;
  for (const { step } of left) step(folder.path);
  for (let reads = 0; folder.isChanged() && reads < 10; reads++) {
    await sleep(reads > 1 ? 60 : 0);
    await folder.load();
  }
  const results: Record<string, unknown> = {};
  for (const name of Object.keys(after)) results[name] = await folder.call(name);
  const found = JSON.stringify([results, folder.reasons()]);
  return found === JSON.stringify([after, {}]) ? undefined : found;
}

/** All ways to choose a moment for each step, later steps at the same moment or later; a selection if there are many. */
function choose(steps: number, moments: number): number[][] {
  let ways: number[][] = [[]];
  for (let step = 0; step < steps; step++) {
    ways = ways.flatMap((way) =>
      Array.from({ length: moments - (way.at(-1) ?? 0) }, (_, index) => [...way, (way.at(-1) ?? 0) + index]),
    );
  }
  const stride = Math.ceil(ways.length / maxWays);
  return ways.filter((_, index) => index % stride === 0);
}
