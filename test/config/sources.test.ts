import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startReading } from "../../src/config/environment.ts";
import { createFileSchema, fileSchema, publishedSchema } from "../../src/config/file-schema.ts";
import { readFile } from "../../src/config/file.ts";
import { keysAsWords } from "../../src/config/entry-kinds.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { reservedNames } from "../../src/config/source-name.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

const text = { type: "string", minLength: 1 };
const name = { $ref: "#/$defs/sourceName" };
const kind = (key: string, schema: object, others: object = {}) => ({
  type: "object",
  required: [key],
  additionalProperties: false,
  properties: { [key]: schema, name, response: { enum: ["warn", "off"] }, ...others },
});

/** The kinds that are to come, in small. */
const more: JsonObject = {
  apiSource: {
    ...kind("api", { ...text, path: "fileOrUrl" }, { auth: { $ref: "#/$defs/auth" } }),
    anyOf: [true, { required: ["auth"] }],
  },
  serverSource: kind("server", {
    oneOf: [
      {
        type: "object",
        additionalProperties: false,
        required: ["command"],
        properties: {
          command: text,
          cwd: { ...text, path: "folder" },
          files: { type: "array", items: { ...text, path: "file" } },
          env: { type: "object", additionalProperties: { ...text, writeOnly: true } },
        },
      },
      { type: "object", additionalProperties: false, required: ["url"], properties: { url: text } },
    ],
  }),
  auth: {
    type: "object",
    additionalProperties: false,
    properties: { bearer: { ...text, writeOnly: true }, clientAuth: { enum: ["basic", "post"] } },
  },
};

function withKinds(): JsonObject {
  const copy = structuredClone(publishedSchema) as {
    properties: { tools: { items: { oneOf: unknown[]; plannedKinds: string[] } } };
    $defs: Record<string, unknown>;
  };
  const { items } = copy.properties.tools;
  items.oneOf = ["folderSource", "apiSource", "serverSource"].map((each) => ({ $ref: `#/$defs/${each}` }));
  items.plannedKinds = ["workers"];
  Object.assign(copy.$defs, more);
  return copy as unknown as JsonObject;
}

const schema = createFileSchema(withKinds());

function read(lines: readonly string[], env: Readonly<Record<string, string>> = {}, of = schema) {
  const folder = temporaryFolder();
  const reading = startReading(env);
  writeFileSync(join(folder, "toolhost.yaml"), ["tools:", ...lines.map((line) => `  - ${line}`)].join("\n"));
  const file = readFile(join(folder, "toolhost.yaml"), reading, of);
  return { ...file, folder, problems: reading.problems };
}

describe("an entry of tools, if there are several kinds of sources", () => {
  test.each([
    ["{ foldr: ./x }", '[0].foldr is unknown; did you mean "folder"?'],
    ["{ sever: { url: x } }", '[0].sever is unknown; did you mean "server"?'],
    ["{ zzzzzz: 1 }", '[0].zzzzzz is unknown; use one of the keys "folder", "api", "server"'],
    ["{}", '[0] does not say what kind of source it is; use one of the keys "folder", "api", "server"'],
    ["{ name: a }", '[0] does not say what kind of source it is; use one of the keys "folder", "api", "server"'],
    ["{ name: 7, nmae: a }", '[0].nmae is unknown; did you mean "name"?'],
    ["{ folder: x, api: y }", '[0] must be one source, but contains "folder" and "api"; write an entry for each'],
    [
      "{ folder: 7, api: y, zz: 1 }",
      '[0] must be one source, but contains "folder" and "api"; write an entry for each',
    ],
    ["{ workers: {} }", '[0].workers is not supported yet; use one of the keys "folder", "api", "server"'],
    ["{ workers: {}, folder: 7 }", '[0].workers is not supported yet; use one of the keys "folder", "api", "server"'],
    ["x", '[0] must be an object with one of the keys "folder", "api", "server", not a string'],
    ["{ api: x, nmae: y }", '[0].nmae is unknown; did you mean "name"?'],
    ["{ api: x, response: wran }", "[0].response must be one of warn, off"],
    ["{ folder: x, auth: {} }", '[0].auth is unknown; the only known key is "folder"'],
    ["{ api: x, auth: { baerer: y } }", '[0].auth.baerer is unknown; did you mean "bearer"?'],
    ["{ server: { command: x, evn: {} } }", '[0].server.evn is unknown; did you mean "env"?'],
    ["{ server: { command: x, env: { A: 1 } } }", "[0].server.env.A must be a text, not a number"],
    [
      "{ api: x, name: ' ' }",
      '[0].name must be a text that is not blank and does not begin with a digit or "-"; "bundled" and "local" are reserved',
    ],
  ])("%s is one problem", (entry, problem) => {
    expect(read([entry]).problems).toEqual([`toolhost.yaml:2: tools${problem}`]);
  });

  test.each(reservedNames)("must not have the name %s", (reserved) => {
    expect(read([`{ api: x, name: ${reserved} }`]).problems).toEqual([
      'toolhost.yaml:2: tools[0].name must be a text that is not blank and does not begin with a digit or "-"; "bundled" and "local" are reserved',
    ]);
    expect(read([`{ api: x, name: ${reserved}s }`]).problems).toEqual([]);
  });

  test("must not have the name of another, and both lines are reported", () => {
    expect(read(["{ api: x, name: a }", "{ folder: x }", "{ server: { url: x }, name: a }"]).problems).toEqual([
      "toolhost.yaml:2: tools[0].name is the same as tools[2].name",
      "toolhost.yaml:4: tools[2].name is the same as tools[0].name",
    ]);
  });
});

test("kinds of the published schema that are not supported yet are refused as such", () => {
  const { planned, schemas } = fileSchema.kinds;
  for (const key of planned) {
    const { problems } = read([`{ ${key}: x, name: y }`], {}, fileSchema);
    expect(problems).toEqual([`toolhost.yaml:2: tools[0].${key} is not supported yet; use ${keysAsWords(schemas)}`]);
    expect([...schemas.keys()]).not.toContain(key);
  }
});

describe("the annotations of the schema", () => {
  test("make paths absolute at any depth, and leave URLs and other texts", () => {
    const { sources, folders, folder, problems } = read([
      "{ api: ./a.yaml }",
      "{ api: 'https://a.example/x', name: ./b }",
      "{ server: { command: ./c, cwd: d/, files: [e, ../f] } }",
    ]);
    expect(problems).toEqual([]);
    expect(sources).toEqual([
      { api: join(folder, "a.yaml") },
      { api: "https://a.example/x", name: "./b" },
      { server: { command: "./c", cwd: join(folder, "d"), files: [join(folder, "e"), join(folder, "../f")] } },
    ]);
    expect(folders).toEqual([{ path: join(folder, "d"), setting: "toolhost.yaml: tools[2].server.cwd" }]);
  });

  test("keep secrets, and paths that contain variables, out of sight", () => {
    const { secrets, folder } = read(
      [
        "{ api: 'a/${DIR}', auth: { bearer: plain, clientAuth: post } }",
        "{ server: { command: x, env: { A: word } } }",
      ],
      { DIR: "hidden" },
    );
    expect([...secrets].toSorted()).toEqual([join(folder, "a/hidden"), "a/hidden", "plain", "word"].toSorted());
  });
});
