import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

/** Reads a `toolhost.yaml` in a folder of its own. */
function read(lines: readonly string[]): Promise<Config> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "toolhost.yaml"), lines.join("\n"));
  return readConfig([], {}, folder);
}

describe("overrides of toolhost.yaml", () => {
  test("takes patterns, words, annotations and bindings in overrides", async () => {
    const { overrides } = await read([
      "overrides:",
      '  "*": { annotations: { readOnly: true } }',
      "  petstore_*:",
      "    description: Lists the pets.",
      "    title: Pets",
      "    tags: [shop]",
      "    bind: { tenant: { value: { id: acme } }, user: { claim: /org/id }, session: { session: true }, free: null }",
    ]);
    expect(overrides["petstore_*"]).toEqual({
      description: "Lists the pets.",
      title: "Pets",
      tags: ["shop"],
      bind: {
        __proto__: null,
        tenant: { value: { id: "acme" } },
        user: { claim: "/org/id" },
        session: { session: true },
        free: null,
      },
    });
    expect(overrides["*"]).toEqual({ annotations: { readOnly: true } });
  });

  test("reports bindings that are none", async () => {
    const lines = [
      "overrides:",
      '  "*":',
      "    annotations: { readonly: true }",
      "    bind:",
      "      a: acme",
      "      b: { value: 1, claim: sub }",
      "      c: {}",
      "      d: { session: false }",
      "      e: { claim: /a~b }",
      "      f: { value: .inf }",
      "      g: { clam: sub }",
      "  pets_**: {}",
    ];
    await expect(read(lines)).rejects.toThrow(
      [
        'toolhost.yaml:3: overrides["*"].annotations.readonly is unknown; did you mean "readOnly"?',
        'toolhost.yaml:5: overrides["*"].bind.a must be { value: … }, { claim: … }, { session: true }, or null, not a string',
        'toolhost.yaml:6: overrides["*"].bind.b must be { value: … }, { claim: … }, { session: true }, or null',
        'toolhost.yaml:7: overrides["*"].bind.c must be { value: … }, { claim: … }, { session: true }, or null',
        'toolhost.yaml:8: overrides["*"].bind.d.session must be true',
        'toolhost.yaml:9: overrides["*"].bind.e.claim must be the name of a claim, or a JSON Pointer into the claims such as /org/id',
        'toolhost.yaml:10: overrides["*"].bind.f.value must be a value that JSON has',
        'toolhost.yaml:11: overrides["*"].bind.g.clam is unknown; did you mean "claim"?',
        'toolhost.yaml:12: overrides["pets_**"] must be the name of a tool, or the beginning of names, followed by *',
      ].join("\n"),
    );
  });
});
