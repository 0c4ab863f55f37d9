import type { Tool } from "../../tool/tool.ts";
import { assembleSchema } from "./declaration/assemble.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { createOperationCalls } from "./call/operation-calls.ts";
import type { OpenApiOperation, ReadOpenApi } from "./read-openapi.ts";
import type { OpenApiSetting } from "./setting.ts";

/** Makes the tools of a document. What calls share, such as a token, lasts from one document to the next. */
export function createToolMaker(
  setting: OpenApiSetting,
): (read: ReadOpenApi, base: URL | undefined) => readonly Tool[] {
  const callOf = createOperationCalls(setting);
  return (read, base) => read.operations.map((operation) => toTool(operation, read, callOf(operation.plan, base)));
}

function toTool(
  { name, title, description, tags, annotations, parameters, response }: OpenApiOperation,
  { requestDefinitions, responseDefinitions }: ReadOpenApi,
  execute: Tool["execute"],
): Tool {
  const schemaOf = (
    { text, reaches }: OpenApiOperation["parameters"],
    definitions: ReadOpenApi["requestDefinitions"],
  ) => JSON.parse(assembleSchema(text, reaches, definitions)) as JsonSchema;
  return {
    name,
    description,
    ...(title !== undefined && { title }),
    tags,
    annotations,
    parameters: schemaOf(parameters, requestDefinitions),
    ...(response !== undefined && { response: schemaOf(response, responseDefinitions) }),
    execute,
  };
}
