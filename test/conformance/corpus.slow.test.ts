import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { createRegistry, invoke, type JsonObject, type Tool } from "../../src/index.ts";
import { createRandom, instanceOf, mutantOf } from "./instances.ts";

/** 1,646 declarations of public MCP servers. */
const file = fileURLToPath(new URL("../../../shared/corpus/tools.jsonl", import.meta.url));
const present = existsSync(file) || process.env["CI"] !== undefined; // where CI runs it must be there
if (!present) {
  console.warn(
    "Skipped: the declarations of public MCP servers, a corpus that is not part of the repository. " +
      `To run these tests, put it at ${file}: a line of JSON a tool, {name, description, inputSchema, outputSchema?}.`,
  );
}

interface Declared {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

const corpus = present
  ? readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Declared)
  : [];

function toTool({ name, description, inputSchema, outputSchema }: Declared, index: number): Tool {
  return {
    name: `t${index}_${name.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64),
    description: description?.trim() || name,
    parameters: inputSchema,
    ...(outputSchema !== undefined && { response: outputSchema }),
    execute: () => null,
  };
}

describe.skipIf(!present)("the tools of public MCP servers", () => {
  const tools = corpus.map(toTool);

  it("are registered, or refused alone with a reason that a person understands", () => {
    const registry = createRegistry();
    const skipped = registry.replace("corpus", tools);
    console.info(`corpus: ${registry.list().length} registered, ${skipped.length} refused`);
    for (const { name, reason } of skipped) {
      console.info(`  ${name}: ${reason}`);
      expect(reason).toMatch(/^\w.{15,300}$/);
      expect(reason).not.toMatch(/\bat .*:\d+|node_modules|Cannot read|undefined|Maximum call stack|\n/);
    }
    expect(registry.list().length + skipped.length).toBe(tools.length);
    expect(registry.list().length).toBeGreaterThan(tools.length * 0.98);
  });

  it("contain nothing that is taken for misspelt without a reason", () => {
    const registry = createRegistry({ observer: {} });
    registry.replace("corpus", tools);
    const warnings = registry.warnings("corpus");
    for (const { name, path, message } of warnings) console.info(`  ${name}: ${path}: ${message}`);
    expect(warnings).toEqual([]);
  });

  it("are all registered where their source is not trusted, but for a pattern that has no linear counterpart", () => {
    const trusted = new Set(
      createRegistry()
        .replace("corpus", tools)
        .map(({ name }) => name),
    );
    const skipped = createRegistry().replace("corpus", tools, { trusted: false });
    expect(skipped.filter(({ name }) => !trusted.has(name))).toEqual([]);
  });

  it("can all be called: none fails to compile that was registered", async () => {
    const registry = createRegistry();
    registry.replace(
      "corpus",
      tools.filter((_, index) => index % 3 === 0),
    );
    for (const { tool } of registry.list()) {
      const outcome = await invoke(registry, { name: tool.name, arguments: {} });
      expect([tool.name, outcome.status === "ok" || outcome.error.code]).toEqual([
        tool.name,
        expect.toBeOneOf([true, "invalid_arguments", "invalid_result"]),
      ]);
    }
  });

  it("accept and refuse the same arguments as plain ajv says", async () => {
    const sampled = sample(200);
    const registry = createRegistry();
    registry.replace(
      "sample",
      sampled.map(({ name, description, parameters, execute }) => ({
        name,
        description,
        parameters,
        execute,
      })),
    );
    const counts = { withValid: 0, accepted: 0, refused: 0, skipped: 0 };
    const differing: string[] = [];

    for (const [index, { name, parameters }] of sampled.entries()) {
      if (registry.find(name) === undefined) continue;
      const validate = compilePlain(parameters as JsonObject);
      const random = createRandom(index + 1);
      const valid = Array.from({ length: 30 }, () => instanceOf(parameters, random))
        .filter((args) => validate(args))
        .slice(0, 4);
      if (valid.length > 0) counts.withValid++;
      const bases = valid.length > 0 ? valid : [{}];
      const mutants = Array.from({ length: 16 }, (_, n) => mutantOf(bases[n % bases.length], random));
      for (const args of [...valid, ...mutants]) {
        const outcome = await invoke(registry, { name, arguments: args });
        const verdict = outcome.status === "ok" || outcome.error.code;
        const accepted = validate(args);
        if (verdict === (accepted || "invalid_arguments")) counts[accepted ? "accepted" : "refused"]++;
        else if (onlyMultipleOf(validate)) counts.skipped++;
        else differing.push(`${name} ${JSON.stringify(args)}: ${String(verdict)}, ajv says ${accepted}`);
      }
    }
    console.info(`verdicts: ${JSON.stringify(counts)}, ${differing.length} differ`);
    expect(differing).toEqual([]);
    expect(counts.withValid).toBeGreaterThanOrEqual(190);
    expect(counts.accepted).toBeGreaterThan(500);
    expect(counts.refused).toBeGreaterThan(500);
    expect(counts.skipped).toBeLessThan(20);
  });

  /** Even over the drafts, and in each from the smallest to the largest. */
  function sample(count: number): Tool[] {
    const draftOf = ({ parameters }: Tool) => String((parameters as JsonObject)["$schema"]);
    const drafts = [...new Set(tools.map(draftOf))];
    const share = Math.ceil(count / drafts.length);
    return drafts
      .flatMap((draft) => {
        const sizes = tools
          .filter((tool) => draftOf(tool) === draft)
          .map((tool) => ({ tool, size: JSON.stringify(tool.parameters).length }));
        sizes.sort((a, b) => a.size - b.size);
        return Array.from({ length: share }, (_, i) => sizes[Math.floor((i * (sizes.length - 1)) / (share - 1))]!.tool);
      })
      .slice(0, count);
  }
});

function compilePlain(schema: JsonObject): ValidateFunction {
  const options = { ownProperties: true, strict: false, logger: false } as const;
  const ajv = String(schema["$schema"]).includes("draft-07") ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  return ajv.compile(schema);
}

function onlyMultipleOf({ errors }: ValidateFunction): boolean {
  return errors?.every(({ keyword }) => keyword === "multipleOf") ?? false;
}
