import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createRegistry } from "../../src/create-registry.ts";
import { createApp } from "../../src/http/app.ts";

const page = readFileSync(new URL("../../docs/library.md", import.meta.url), "utf8");
const unknown = { "": null } as object;
const makers: Record<string, () => unknown> = {
  createApp: () => createApp({ registry: createRegistry(), ...unknown }),
  createRegistry: () => createRegistry(unknown),
};

test.each(Object.entries(makers))("docs/library.md has every option of %s", (_name, make) => {
  const options = optionsIn(messageOf(make));
  expect(options.length).toBeGreaterThan(5);
  expect(options.filter((option) => !page.includes(`\`${option}\``) && !page.includes(`\`${option}.`))).toEqual([]);
});

/** The refusal of an unknown option lists those that there are. */
function optionsIn(message: string): string[] {
  const list = /It has (.*)\.$/.exec(message)?.[1] ?? "";
  return Array.from(list.matchAll(/"([^"]*)"/g), ([, name]) => name!);
}

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}
