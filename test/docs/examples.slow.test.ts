import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(root, "src", file), "utf8"));
const comments = sources.flatMap(
  (text) => text.match(/\/\*\*(?:(?!\*\/)[^])*\*\/\nexport (?:async )?(?:function|class) \w+/g) ?? [],
);

/** The functions and classes that an index file exports, by name. */
function exportsOf(file: string): string[] {
  const text = readFileSync(join(root, "src", file), "utf8");
  return [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  );
}

function examplesOf(name: string): string[] {
  const comment = comments.find((each) => each.endsWith(` ${name}`)) ?? "";
  const code = comment.replace(/^ \* ?/gm, "");
  return [...code.matchAll(/@example\n```ts\n([^]+?)```/g)].map(([, example = ""]) => example);
}

const names = [...new Set(["index.ts", "agent/index.ts"].flatMap(exportsOf))];

describe("the doc comments of what the package exports", () => {
  it.each(names)("%s has an example", (name) => {
    expect(examplesOf(name)).not.toHaveLength(0);
  });

  it("have examples that compile with the package as it is built", () => {
    // Inside the repository, so that the package's own name and those of the SDKs resolve.
    const folder = mkdtempSync(join(root, "test/docs/compiled-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of names)
      writeFileSync(join(folder, `${name}.mts`), `${examplesOf(name).join("\n")}\nexport {};\n`);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../../tsconfig.json",
        compilerOptions: { noEmit: true, rootDir: "../../.." },
        include: ["*.mts"],
      }),
    );
    const { stdout } = spawnSync("npx", ["tsc", "-p", folder], { cwd: root, encoding: "utf8" });
    expect(stdout).toBe("");
  });
});
