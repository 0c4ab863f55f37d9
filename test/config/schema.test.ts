import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../runs.ts";
import { parse, parseAllDocuments } from "yaml";
import { checkFile } from "../../src/config/check-file.ts";
import { publishedSchema } from "../../src/config/file-schema.ts";
import { ownFormats } from "../../src/config/own-formats.ts";
import { placeOf } from "../../src/config/place.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { checkRetries, checkTimeoutMs, maxTimeoutMs, toolNamePattern } from "../../src/tool/check-tool.ts";
import { isJsonObject, type JsonObject } from "../../src/json/object.ts";
import mutatedFiles from "./mutated-files.json" with { type: "json" };

/** As an editor checks: the formats of its own are unknown there. */
const editor = new Ajv2020({ strict: false, logger: false, allErrors: true });

function problemsOf(value: unknown): string[] {
  const problems = new Map<string, string>();
  checkFile(value, (path, problem) => {
    const place = placeOf(path);
    if (!problems.has(place)) problems.set(place, typeof problem === "string" ? problem : problem());
  });
  return [...problems].map(([place, problem]) => `${place} ${problem}`.trim());
}

/** Every YAML block of the documents that sets a key of the file. */
function examplesOf(path: URL): unknown[] {
  const blocks = [...readFileSync(path, "utf8").matchAll(/```yaml\n([^]*?)```/g)].flatMap(([, text = ""]) =>
    parseAllDocuments(text).map((document) => document.toJS() as unknown),
  );
  const keys = Object.keys(publishedSchema["properties"] as JsonObject);
  return blocks.filter((block) => isJsonObject(block) && Object.keys(block).every((key) => keys.includes(key)));
}

/** Each schema inside the published one, with its place. */
function* nodesOf(node: unknown, place = ""): Generator<[string, JsonObject]> {
  if (!isJsonObject(node)) return;
  yield [place, node];
  for (const keyword of ["properties", "$defs"]) {
    if (!isJsonObject(node[keyword])) continue;
    for (const [key, member] of Object.entries(node[keyword])) yield* nodesOf(member, `${place}/${key}`);
  }
  for (const keyword of ["items", "additionalProperties", "propertyNames"])
    yield* nodesOf(node[keyword], `${place}/${keyword}`);
  for (const keyword of ["anyOf", "oneOf"]) {
    const members = Array.isArray(node[keyword]) ? (node[keyword] as unknown[]) : [];
    for (const [index, member] of members.entries()) yield* nodesOf(member, `${place}/${keyword}/${index}`);
  }
}

describe("toolhost.schema.json", () => {
  test("is valid JSON Schema 2020-12", () => {
    expect(publishedSchema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(editor.validateSchema(publishedSchema)).toBe(true);
  });

  test("gives each field a title and a description, its own or those of what it refers to", () => {
    const nameless = [...nodesOf(publishedSchema)].flatMap(([place, node]) => {
      const properties = isJsonObject(node["properties"]) ? Object.entries(node["properties"]) : [];
      return properties.flatMap(([key, field]) => {
        const reference = isJsonObject(field) ? field["$ref"] : undefined;
        const target = typeof reference === "string" ? reference.split("/").at(-1)! : "";
        const referred = (publishedSchema["$defs"] as JsonObject)[target];
        const { title, description } = { ...(referred as JsonObject), ...(field as JsonObject) };
        return typeof title === "string" && typeof description === "string" ? [] : [`${place}/${key}`];
      });
    });
    expect(nameless).toEqual([]);
  });

  test("names no format that its reader does not have", () => {
    const formats = [...nodesOf(publishedSchema)].flatMap(([, { format }]) =>
      typeof format === "string" ? [format] : [],
    );
    expect([...new Set(formats)].toSorted()).toEqual(Object.keys(ownFormats).toSorted());
  });

  test("contains defaults and examples that it accepts", () => {
    const { $defs } = publishedSchema;
    const samples = [...nodesOf(publishedSchema)].flatMap(([place, node]) => {
      const values = [
        ...(Array.isArray(node["examples"]) ? node["examples"] : []),
        ...("default" in node ? [node["default"]] : []),
      ];
      return values.map((value: unknown) => ({ place, value, valid: editor.validate({ ...node, $defs }, value) }));
    });
    expect(samples.length).toBeGreaterThan(30);
    expect(samples.filter(({ valid }) => !valid)).toEqual([]);
  });

  test("has the defaults that a service without a file has", async () => {
    const { limits, hosts, origins, egress, overrides, auth } = await readConfig([], {}, "/");
    const defaultsOf = (path: readonly string[]): unknown => {
      const node = path.reduce<unknown>((at, key) => (at as JsonObject)[key], publishedSchema);
      return (node as JsonObject)["default"];
    };
    for (const [key, value] of Object.entries(limits)) {
      expect([key, defaultsOf(["properties", "limits", "properties", key])]).toEqual([key, value]);
    }
    expect(defaultsOf(["properties", "hosts"])).toEqual(hosts);
    expect(defaultsOf(["properties", "origins"])).toEqual(origins);
    expect(defaultsOf(["properties", "overrides"])).toEqual(overrides);
    expect(defaultsOf(["properties", "egress", "properties", "allow"])).toEqual(egress.allow);
    expect(auth).toEqual({ keys: [], jwt: undefined });
  });
});

describe("what the schema and the code both bound", () => {
  const definitions = publishedSchema["$defs"] as Record<string, { properties: Record<string, JsonObject> }>;
  const limits = (publishedSchema["properties"] as Record<string, { properties: Record<string, JsonObject> }>)[
    "limits"
  ]!;

  test("is the longest time limit of a call", () => {
    const fields = [definitions["override"]!.properties["timeoutMs"], limits.properties["timeoutMs"]];
    expect(fields.map((field) => field?.["maximum"])).toEqual([maxTimeoutMs, maxTimeoutMs]);
    expect(() => checkTimeoutMs(maxTimeoutMs + 1)).toThrow("900000");
  });

  test("is the number of retries", () => {
    const most = Number(definitions["override"]!.properties["retries"]?.["maximum"]);
    expect(checkRetries(most)).toBe(most);
    expect(() => checkRetries(most + 1)).toThrow("retries");
  });

  test("is the name of a tool, which a pattern may only begin", () => {
    const { propertyNames } = (publishedSchema["properties"] as Record<string, JsonObject>)["overrides"]!;
    const name = toolNamePattern.source.replace(/^\^|\$$/g, "");
    expect((propertyNames as JsonObject)["pattern"]).toBe(`^(?:\\*|${name}\\*?)$`);
  });
});

describe("the examples of the documents", () => {
  const documents = [
    "../../README.md",
    ...readdirSync(new URL("../../docs/", import.meta.url))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `../../docs/${name}`),
  ];
  const examples = documents.flatMap((name) => examplesOf(new URL(name, import.meta.url)));

  test("are accepted by the published schema and by the reader", () => {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(editor.validate(publishedSchema, example), JSON.stringify(editor.errors)).toBe(true);
      expect(problemsOf(example)).toEqual([]);
    }
  });
});

describe("a text with ${NAME}", () => {
  const accepted = [
    "tools: [{ folder: '${HOME}/tools' }]",
    "tools: [{ openapi: '${DOC}', baseUrl: 'https://${H}', response: '${MODE}', forward: ['${F}'], auth: { apiKey: { in: '${I}', name: '${N}', value: '${K}' } } }]",
    "overrides: { a: { response: '${MODE}', description: '${D}', tags: ['${T}'], bind: { b: { value: '${V}' }, c: { claim: '/x/${C}' } } } }",
    "auth: { keys: [{ name: '${N}', sha256: '${HASH}', tools: ['${TOOL}', 'x${TOOL}'] }] }",
    "auth: { jwt: { issuer: '${I}', audience: 'a-${A}', jwksUrl: '${U}/keys', toolsClaim: '${T}', operatorClaim: '${O}' } }",
    "egress: { allow: ['${A}/16', '${H}:443'] }",
    "{ hosts: ['${H}.internal'], publicUrl: '${P}', origins: ['${O}'] }",
  ];

  test.each(accepted)("is not marked by an editor if its value may be right: %s", (text) => {
    expect(editor.validate(publishedSchema, parse(text)), JSON.stringify(editor.errors)).toBe(true);
  });

  /** An editor may be given the formats too: then it must not mark what is not replaced yet. */
  const strictEditor = new Ajv2020({ strict: false, logger: false });
  for (const [name, { accepts }] of Object.entries(ownFormats)) strictEditor.addFormat(name, accepts);

  /** Fields that are texts. Their alternatives, and the names of members, are not fields. */
  const texts = [...nodesOf(publishedSchema)].filter(
    ([place, node]) =>
      isTextField(node) && !/\/(?:anyOf|oneOf)\/\d+$|\/propertyNames$|^\/\$defs\/(?:variable|json)$/.test(place),
  );

  function isTextField({ type, anyOf, ...node }: JsonObject): boolean {
    const choices = Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : [];
    const alternatives = Array.isArray(anyOf) ? (anyOf as JsonObject[]) : [];
    return type === "string" || choices.some((each) => typeof each === "string") || alternatives.some(isTextField);
  }

  test("is not marked in any text field, even by an editor that knows the formats", () => {
    expect(texts.length).toBeGreaterThan(15);
    const { $defs } = publishedSchema;
    const samples = ["${NAME}", "a${NAME}", "${NAME}/b", "https://${NAME}/c", "${A}.${B}:443"];
    const marked = texts.flatMap(([place, node]) => {
      const isAccepted: (value: unknown) => boolean = strictEditor.compile({ ...node, $defs });
      return samples.filter((sample) => !isAccepted(sample)).map((sample) => `${place} ${sample}`);
    });
    expect(marked).toEqual([]);
  });

  test("is not what makes a wrong text pass where it is checked", () => {
    const { $defs } = publishedSchema;
    const checked = texts.filter(([, node]) => Array.isArray(node["anyOf"]));
    expect(checked.length).toBeGreaterThanOrEqual(Object.keys(ownFormats).length);
    const accepted = checked.filter(([, node]) => strictEditor.validate({ ...node, $defs }, "- no such $ {text}"));
    expect(accepted.map(([place]) => place)).toEqual([]);
  });

  test.each(["limits: { queueMs: '${N}' }", "auth: { keys: [{ name: a, readOnly: '${R}' }] }"])(
    "is marked if no value can be right: %s",
    (text) => expect(editor.validate(publishedSchema, parse(text))).toBe(false),
  );

  test("is refused by the reader if it remains", () => {
    expect(problemsOf(parse("auth: { keys: [{ name: a, sha256: '${x', tools: ['${x}'] }] }"))).toEqual([
      'auth.keys[0].sha256 must be 64 lower-case hexadecimal digits, as "toolhost key" prints them',
      "auth.keys[0].tools[0] must be a tool's name, in which * matches any characters",
    ]);
    expect(problemsOf({ overrides: { a: { response: "${x}" } } })).toEqual([
      "overrides.a.response must be one of enforce, warn, off",
    ]);
  });
});

describe("400 mutated files, of which the reader that came before the schema accepted 150", () => {
  const files = mutatedFiles as unknown as readonly (readonly [unknown, readonly string[]])[];

  test("have faults at the same places", () => {
    expect(files.filter(([, places]) => places.length === 0)).toHaveLength(150);
    for (const [file, places] of sampleOf(files, 10)) {
      const found: string[] = [];
      checkFile(file, (path) => found.push(placeOf(path)));
      expect([JSON.stringify(file), [...new Set(found)].toSorted()]).toEqual([JSON.stringify(file), places]);
    }
  });

  test("are marked by an editor only if the reader refuses them", () => {
    const marked = files.filter(([file]) => !editor.validate(publishedSchema, file));
    expect(marked.length).toBeGreaterThan(150);
    expect(marked.filter(([, places]) => places.length === 0)).toEqual([]);
  });
});
