import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readToolConfig } from "../../src/config/read-tools.ts";
import { configuredSources } from "../../src/service/configured-sources.ts";
import { nameSources, type SourceNaming } from "../../src/service/name-sources.ts";
import { createTools } from "../../src/service/tools.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

const network = { fetch, bases: new Map<string, string>(), onOutput: () => undefined };
const base = await readToolConfig({ "no-bundled": true }, {}, "/");
const configOf = (...folders: string[]) => ({ ...base, sources: folders.map((folder) => ({ folder })) });
const sourcesOf = (...folders: string[]) => configuredSources(configOf(...folders), [], network);
const namesOf = (sources: readonly { readonly name: string }[]) => sources.map(({ name }) => name);

describe("folders with one basename", async () => {
  const both = await sourcesOf("/a/tools", "/b/tools");
  const [ofA, ofB] = both;

  test("get different names, the first the short one, and none has the name of another later", async () => {
    expect(namesOf(both)).toEqual(["tools", expect.stringMatching(/^tools-[0-9a-f]{8}$/)]);
    const [, ofC] = await sourcesOf("/a/tools", "/c/tools");
    expect(ofC?.name).not.toBe(ofB?.name);
  });

  test.each([
    ["the other is removed", ["/b/tools"], [ofB]],
    ["they change places", ["/b/tools", "/a/tools"], [ofB, ofA]],
    ["another one comes first", ["/c/tools", "/b/tools", "/a/tools"], [undefined, ofB, ofA]],
  ])("keep their names and keys if %s", async (_what, folders, expected) => {
    const next = await configuredSources(configOf(...folders), both, network);
    for (const [index, source] of expected.entries()) {
      if (source !== undefined) expect(next[index]).toMatchObject({ name: source.name, key: source.key });
    }
    expect(new Set(namesOf(next)).size).toBe(folders.length);
  });
});

test("a folder never has a reserved name, and the root folder has one", async () => {
  const names = namesOf(
    await configuredSources({ ...configOf("/x/bundled", "/x/local", "/"), bundledTools: true }, [], network),
  );
  expect(names).toEqual([expect.stringMatching(/^bundled-/), expect.stringMatching(/^local-/), "root", "bundled"]);
});

describe("names", () => {
  const naming = (id: string, proposedName: string, ownName?: string): SourceNaming => ({ id, proposedName, ownName });

  test("that operators write come before names in use", () => {
    const inForce = [{ id: "a", name: "tools" }];
    const [ofA, ofB] = nameSources([naming("a", "tools"), naming("b", "other", "tools")], inForce);
    expect([ofA, ofB]).toEqual([expect.stringMatching(/^tools-/), "tools"]);
  });

  test("differ for entries that differ in nothing but other settings", () => {
    const same = [naming("a", "x"), naming("a", "x"), naming("a", "x"), naming("a", "x")];
    expect(new Set(nameSources(same, [])).size).toBe(4);
  });
});

test("a reload without the first of two folders keeps the other as it is", async () => {
  const folder = temporaryFolder();
  const [one, two] = ["one", "two"].map((parent) => {
    const dir = join(folder, parent, "tools");
    mkdirSync(join(dir, parent), { recursive: true });
    const code = `export const tool = { name: "${parent}", description: "A tool.", parameters: { type: "object" }, execute() {} };`;
    writeFileSync(join(dir, parent, "tool.mjs"), code);
    return dir;
  });
  const tools = createTools();
  onTestFinished(() => tools.close(100));
  await tools.load(configOf(one!, two!));
  const [, before] = tools.status();
  await tools.load(configOf(two!));
  expect(tools.status()).toEqual([before]);
  await tools.load(configOf(one!, two!));
  expect(tools.status()[1]).toEqual(before);
  expect(tools.status()[0]?.name).toBe("tools");
});

test("a tool in threads keeps them over a reload, unless the egress rules change", async () => {
  const dir = join(temporaryFolder(), "tools");
  mkdirSync(join(dir, "far"), { recursive: true });
  const code = `export const tool = { name: "far", description: "A tool.", isolation: "thread", parameters: { type: "object" }, execute() {} };`;
  writeFileSync(join(dir, "far/tool.mjs"), code);
  const tools = createTools();
  onTestFinished(() => tools.close(100));
  const config = configOf(dir);
  await tools.load(config);
  const before = tools.registry.find("far");
  expect(before?.isolated).toBeDefined();
  await tools.load(config);
  expect(tools.registry.find("far")).toBe(before);
  await tools.load({ ...config, egress: { ...config.egress, allow: ["10.0.0.1"] } });
  expect(tools.registry.find("far")).not.toBe(before);
  await tools.load({ ...config, sources: [] });
});
