import { expect, test } from "vitest";
import { parse } from "yaml";
import { createAuthenticate } from "../../src/access/authenticate.ts";
import type { KeyOptions } from "../../src/access/keys.ts";
import { toolhost } from "./toolhost.ts";

test("key shows the line of toolhost.yaml that lets the key in, beside what programs read", async () => {
  const { stdout, stderr } = await toolhost(["key"]);
  const [, key = ""] = /^key +(\S+)$/m.exec(stdout) ?? [];
  const line = stderr.slice(stderr.indexOf("- {"));
  const authenticate = createAuthenticate({ auth: { keys: parse(line) as KeyOptions[] } });
  expect(authenticate(`Bearer ${key}`)).toHaveProperty("id");
  expect(stderr).not.toContain(key);
});
