import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isJsonObject } from "../core/json.ts";
import type { JsonObject, JsonSchema } from "../core/json-schema.ts";
import { listTools } from "../core/caller.ts";
import type { RegisteredTool } from "../core/registered-tool.ts";
import type { Registry } from "../core/registry.ts";
import type { Handle } from "./answer.ts";
import { placeSchema, refTo } from "./openapi-schema.ts";
import { readQuery } from "./query.ts";
import { version } from "./status.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string }[] | undefined;
  readonly responses: Readonly<Record<string, JsonObject>>;
  readonly [field: string]: unknown;
}

/** The parts of an OpenAPI 3.1 document that are looked at here. */
interface OpenApiDocument {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [kind: string]: unknown };
  readonly [field: string]: unknown;
}

const maxWritten = 16;

/** `GET /openapi.json`: openapi.yaml and one typed operation a listed tool, written once for each version of the registry and set of rights. */
export function createOpenApiDocument(registry: Registry): Handle {
  let fixed: Promise<OpenApiDocument> | undefined;
  const written = new Map<string, string>();
  let writtenVersion = -1;
  return async (exchange, caller) => {
    readQuery(exchange.query, []);
    fixed ??= readFixedDocument();
    const document = await fixed;
    if (writtenVersion !== registry.version || written.size >= maxWritten) written.clear();
    writtenVersion = registry.version;
    const key = caller.rights?.key ?? "";
    let json = written.get(key);
    if (json === undefined) {
      json = JSON.stringify(withTools(document, listTools(registry, { caller })));
      written.set(key, json);
    }
    const headers = { "content-type": "application/json", vary: "Authorization", "cache-control": "private, no-cache" };
    return { status: 200, headers, body: json };
  };
}

/** openapi.yaml stands beside package.json, to which the package's own name leads from src and from dist alike. */
async function readFixedDocument(): Promise<OpenApiDocument> {
  const root = dirname(createRequire(import.meta.url).resolve("toolhost/package.json"));
  const [{ parse }, text] = await Promise.all([import("yaml"), readFile(join(root, "openapi.yaml"), "utf8")]);
  return parse(text) as OpenApiDocument;
}

function withTools(fixed: OpenApiDocument, tools: readonly RegisteredTool[]): OpenApiDocument {
  const names = nameTools(fixed, tools);
  const generic = fixed.paths["/tools/{name}/invoke"]!["post"]!;
  const paths: Record<string, Readonly<Record<string, Operation>>> = { ...fixed.paths };
  const schemas: Record<string, JsonSchema> = { ...fixed.components.schemas };
  for (const entry of tools) {
    const name = names.get(entry)!;
    paths[`/tools/${entry.tool.name}/invoke`] = { post: toOperation(entry, name, generic) };
    Object.assign(schemas, toSchemas(entry, name));
  }
  return { ...fixed, info: { ...fixed.info, version }, paths, components: { ...fixed.components, schemas } };
}

/** What the schemas of a tool called `GetWeather` are called, and of no other: none of these words ends in another. */
const kinds = ["Arguments", "Result", "Success", "Outcome"] as const;

/**
 * Each tool's name in the words of programs: `get_weather` is `GetWeather`. Where two tools come to the same name, or one
 * to a name of the fixed document, all of them get an ending made of their own name alone. Numbers would move on when
 * another tool joins, and a client that is generated anew would silently call one tool under the name of another.
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

/** The generic operation for one tool. Streaming stays with the generic one: clients get a single type of answer here. */
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
    ...placeSchema(`${name}Arguments`, declaration.parameters),
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
