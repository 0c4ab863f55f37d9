import { createHash } from "node:crypto";
import { inTurns } from "../../../async/in-turns.ts";
import { isJsonObject } from "../../../json/object.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import type { RegisteredTool } from "../../../core/registry/registered-tool.ts";
import { inlineRoot } from "../../../schema/root.ts";
import type { OpenApiDocument, Operation, Tag } from "./fixed.ts";
import { placeSchema, refTo } from "./schema.ts";

/** The fixed document with one typed operation for each of the tools. */
export async function withTools(fixed: OpenApiDocument, tools: readonly RegisteredTool[]): Promise<OpenApiDocument> {
  const names = nameTools(fixed, tools);
  const generic = fixed.paths["/tools/{name}/invoke"]!["post"]!;
  const paths: Record<string, Readonly<Record<string, Operation>>> = { ...fixed.paths };
  const schemas: Record<string, JsonSchema> = { ...fixed.components.schemas };
  // Prepared tools make their schemas when these are first read.
  await inTurns(tools, (entry) => {
    const name = names.get(entry)!;
    paths[`/tools/${entry.tool.name}/invoke`] = { post: toOperation(entry, name, generic) };
    Object.assign(schemas, toSchemas(entry, name));
  });
  const tags = [...fixed.tags, ...tagsOf(tools, fixed.tags)];
  return { ...fixed, tags, paths, components: { ...fixed.components, schemas } };
}

/** The tags of tools that the document does not declare yet. */
export function tagsOf(tools: readonly RegisteredTool[], declared: readonly Tag[] = []): Tag[] {
  const names = new Set(tools.flatMap(({ declaration }) => declaration.tags ?? []));
  for (const { name } of declared) names.delete(name);
  return [...names].sort().map((name) => ({ name, description: `Tools with the tag ${name}.` }));
}

/**
 * The names of the schemas of a tool `GetWeather`. They are unambiguous, because none of these words ends with another.
 */
const kinds = ["Arguments", "Result", "Success", "Outcome"] as const;

/**
 * Each tool's name in the words of programs: `get_weather` is `GetWeather`. If two tools have the same name in this
 * form, or one has a name of the fixed document, all of them get an ending that depends only on their own name. Numbers
 * would change when a tool is added, and a newly generated client would silently call one tool under the name of
 * another.
 */
function nameTools(fixed: OpenApiDocument, tools: readonly RegisteredTool[]): Map<RegisteredTool, string> {
  const operations = Object.values(fixed.paths).flatMap((path) => Object.values(path));
  // Compared without case, because some generators write a file for each.
  const taken = new Set(
    [...operations.map(({ operationId }) => operationId), ...Object.keys(fixed.components.schemas)].map((id) =>
      id?.toLowerCase(),
    ),
  );
  const uses = new Map<string, number>();
  const bases = tools.map((entry) => toPascalCase(entry.tool.name));
  for (const base of bases) uses.set(base.toLowerCase(), (uses.get(base.toLowerCase()) ?? 0) + 1);
  return new Map(
    tools.map((entry, index) => {
      const base = bases[index]!;
      const ids = [`invoke${base}`, ...kinds.map((kind) => base + kind)];
      const isFree = uses.get(base.toLowerCase()) === 1 && !ids.some((id) => taken.has(id.toLowerCase()));
      return [
        entry,
        isFree ? base : `${base}_${createHash("sha256").update(entry.tool.name).digest("hex").slice(0, 8)}`,
      ];
    }),
  );
}

function toPascalCase(name: string): string {
  const words = name.split(/[_-]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(joined) ? joined : `Tool${joined}`;
}

/**
 * The generic operation for one tool. Only the generic operation has streaming: clients get a single type of answer
 * here.
 */
function toOperation({ declaration }: RegisteredTool, name: string, generic: Operation): Operation {
  const { title, description, tags, parameters } = declaration;
  const required =
    isJsonObject(parameters) && Array.isArray(parameters["required"]) && parameters["required"].length > 0;
  return {
    operationId: `invoke${name}`,
    summary: title ?? declaration.name,
    description,
    ...(tags !== undefined && { tags }),
    // Its name is in its path.
    parameters: generic.parameters?.filter((parameter) => parameter.in !== "path"),
    requestBody: { required, content: { "application/json": { schema: refTo(`${name}Arguments`) } } },
    responses: {
      ...generic.responses,
      200: { ...generic.responses["200"], content: { "application/json": { schema: refTo(`${name}Outcome`) } } },
    },
  };
}

function toSchemas({ declaration }: RegisteredTool, name: string): Record<string, JsonSchema> {
  return {
    ...placeSchema(`${name}Arguments`, inlineRoot(declaration.parameters)),
    ...placeSchema(`${name}Result`, declaration.response),
    [`${name}Success`]: {
      type: "object",
      required: ["status", "callId", "result"],
      properties: {
        status: { const: "ok" },
        callId: { type: "string" },
        result: refTo(`${name}Result`),
        repairs: { type: "array", items: refTo("Repair") },
      },
    },
    [`${name}Outcome`]: {
      oneOf: [refTo(`${name}Success`), refTo("Failure")],
      discriminator: {
        propertyName: "status",
        mapping: { ok: refTo(`${name}Success`).$ref, error: refTo("Failure").$ref },
      },
    },
  };
}
