import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import type { RegisteredTool } from "../../../core/registry/registered-tool.ts";
import type { OpenApiDocument, Operation } from "./fixed.ts";
import { tagsOf } from "./operations.ts";

const description =
  "The tools of this Toolhost. Each operation runs one tool: the body contains its arguments, the answer is its outcome, " +
  '`{"status":"ok","result":…}` or `{"status":"error","error":…}`.';

/**
 * The part of a document that a chat UI imports as a tool server: the operations of the tools, each with the name of
 * its tool, and their components. Such importers show every parameter to the model as an argument, and do not follow a
 * reference to the body's schema: so there are no parameters, and that schema is written in place.
 */
export function toToolsOnly(document: OpenApiDocument, tools: readonly RegisteredTool[]): OpenApiDocument {
  const { schemas } = document.components;
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { tool } of tools) {
    const path = `/tools/${tool.name}/invoke`;
    const { parameters: _none, requestBody, ...operation } = document.paths[path]!["post"]!;
    const { required, content } = requestBody as { required: boolean; content: { "application/json": Body } };
    const schema = writtenOut(content["application/json"].schema, schemas);
    paths[path] = {
      post: {
        ...operation,
        operationId: tool.name,
        requestBody: { required, content: { "application/json": { schema } } },
      },
    };
  }
  const { summary: _ofService, ...info } = document.info;
  const tags = tagsOf(tools);
  return {
    ...document,
    info: { ...info, description },
    tags,
    paths,
    components: reachable(paths, document.components),
  };
}

interface Body {
  readonly schema: JsonObject;
}

/** The target of a schema that is only a reference. Its content may still refer to components. */
function writtenOut(schema: JsonObject, schemas: Readonly<Record<string, JsonSchema>>): JsonObject {
  const seen = new Set<JsonObject>();
  let at = schema;
  while (typeof at["$ref"] === "string" && Object.keys(at).length === 1 && !seen.has(at)) {
    seen.add(at);
    const target = schemas[at["$ref"].replace(/^.*\//, "")];
    if (!isJsonObject(target)) break;
    at = target;
  }
  return at;
}

/** The components that operations refer to, directly or by another. */
function reachable(paths: unknown, components: OpenApiDocument["components"]): OpenApiDocument["components"] {
  const kept: { [kind: string]: Record<string, unknown>; schemas?: Record<string, JsonSchema> } = {};
  visit(paths);
  // Tools are called with a key, and never with the token of a worker.
  const { bearer } = components["securitySchemes"] as JsonObject;
  return { ...kept, securitySchemes: { bearer }, schemas: kept["schemas"] ?? {} };

  function visit(node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    for (const [key, member] of Object.entries(node)) {
      if (key === "$ref" && typeof member === "string") keep(member);
      else visit(member);
    }
  }

  function keep(ref: string): void {
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(ref) ?? [];
    const ofKind = components[kind] as Readonly<Record<string, unknown>> | undefined;
    if (ofKind === undefined || !Object.hasOwn(ofKind, name)) return;
    kept[kind] ??= {};
    if (Object.hasOwn(kept[kind], name)) return;
    kept[kind][name] = ofKind[name];
    visit(ofKind[name]);
  }
}
