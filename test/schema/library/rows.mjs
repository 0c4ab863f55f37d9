import { readFileSync } from "node:fs";

/** The rows of the table of schema libraries in docs/tools.md, each once for every version of the library that it names. */
export function readRows() {
  const page = readFileSync(new URL("../../../docs/tools.md", import.meta.url), "utf8");
  const lines = page.split("\n").filter((line) => /^\| (?:Zod|Valibot|ArkType)/.test(line));
  return lines.flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [library, schema, value, jsonSchema, check, outcome] = cells.map((cell) =>
      cell
        .trim()
        .replaceAll("\\|", "|")
        .replace(/^`(.*)`$/, "$1"),
    );
    const libraries = library === "Zod" ? ["Zod 4.2", "Zod 4.6"] : [library];
    return libraries.map((each) => ({ library: each, schema, value, jsonSchema, check, outcome }));
  });
}

/** What a row's schema is in code, with the names that its library's documentation uses. */
export async function makeSchema({ library, schema }) {
  const names = await load(library);
  // The code is a cell of this repository's own documentation.
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function(...Object.keys(names), `return ${schema}`)(...Object.values(names));
}

/** Only what the row needs: each thread loads it anew. */
async function load(library) {
  switch (library) {
    case "Zod 4.2":
      return { z: await import("zod-4.2") };
    case "Zod 4.6":
      return { z: await import("zod") };
    case "Valibot":
      return {
        v: await import("valibot"),
        toStandardJsonSchema: (await import("@valibot/to-json-schema")).toStandardJsonSchema,
      };
    case "ArkType":
      return { type: (await import("arktype")).type };
    default:
      throw new Error(`no such library: ${library}`);
  }
}
