import type { JsonObject } from "../../../../src/json/object.ts";

export interface ImportedOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: JsonObject; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: JsonObject } } };
  readonly [field: string]: unknown;
}

export interface ImportedDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ImportedOperation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

export interface ImportedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: "object";
    readonly properties: Record<string, JsonObject>;
    readonly required: string[];
  };
}

/**
 * Reads a document as chat UIs do that take an OpenAPI document as a tool server, open-webui among them: every member of
 * a path is an operation, every parameter has its `name` where it is listed, `$ref` is followed in `properties` and
 * `items` alone, and each of these is an object. What it does not expect, it throws at.
 */
export function importTools({ paths, components }: ImportedDocument): ImportedTool[] {
  return Object.values(paths).flatMap((item) => Object.values(item).map(importOperation));

  function importOperation(operation: ImportedOperation): ImportedTool {
    const properties: Record<string, JsonObject> = {};
    const required: string[] = [];
    for (const { name, schema, required: isRequired } of operation.parameters ?? []) {
      if (typeof name !== "string") throw new Error("a parameter without a name");
      properties[name] = { type: schema["type"] };
      if (isRequired === true) required.push(name);
    }
    const body = operation.requestBody?.content["application/json"]?.schema;
    const schema = body === undefined ? {} : resolve(body, []);
    Object.assign(properties, schema["properties"]);
    required.push(...((schema["required"] ?? []) as string[]));
    return {
      name: operation.operationId,
      description: operation.description ?? "",
      parameters: { type: "object", properties, required },
    };
  }

  function resolve(schema: unknown, seen: readonly string[]): JsonObject {
    if (typeof schema !== "object" || schema === null) throw new Error(`a schema that is ${JSON.stringify(schema)}`);
    const { $ref, ...fields } = schema as JsonObject;
    if (typeof $ref === "string") {
      if (seen.includes($ref)) return {};
      const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec($ref) ?? [];
      return resolve((components[kind] as JsonObject)[name], [...seen, $ref]);
    }
    const { properties, items } = fields;
    if (properties !== undefined) {
      const resolved = Object.entries(properties as JsonObject).map(([key, member]) => [key, resolve(member, seen)]);
      fields["properties"] = Object.fromEntries(resolved);
    }
    if (items !== undefined) fields["items"] = resolve(items, seen);
    return fields;
  }
}
