import type { ToolWarning } from "../../core/observer.ts";
import { reasonOf } from "../../errors/reason.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { createCheck } from "../../schema/check.ts";
import { checkParameters } from "../../schema/parameters.ts";
import { checkUntrustedBytes } from "../../schema/untrusted/bounds.ts";
import { assembleSchema } from "./declaration/assemble.ts";
import type { OpenApiOperation, ReadOpenApi, SchemaText, SkippedOperation } from "./read-openapi.ts";

/**
 * Skips operations whose arguments cannot be checked, and leaves out schemas of results that cannot: the schemas of what
 * remains are valid, and within the bounds of schemas that are not trusted.
 */
export function checkOperations(read: ReadOpenApi): ReadOpenApi {
  const operations: OpenApiOperation[] = [];
  const skipped: SkippedOperation[] = [...read.skipped];
  const warnings: ToolWarning[] = [...read.warnings];
  for (const operation of read.operations) {
    const { name, method, path, line, parameters, response } = operation;
    const fault = findFault(parameters, read.requestDefinitions, checkParameters);
    if (fault !== undefined) {
      skipped.push({ operation: `${method} ${path}`, reason: `in its arguments, ${fault}`, line });
      continue;
    }
    const responseFault = response && findFault(response, read.responseDefinitions);
    if (responseFault === undefined) {
      operations.push(operation);
      continue;
    }
    const { response: _, ...open } = operation;
    operations.push(open);
    warnings.push({
      name,
      path: "/response",
      message: `the schema of the result is left out, because ${responseFault}`,
    });
  }
  return { ...read, operations, skipped, warnings };
}

/** @returns what is wrong with the schema */
function findFault(
  { text, reaches }: SchemaText,
  definitions: ReadOpenApi["requestDefinitions"],
  check?: (schema: JsonSchema) => void,
): string | undefined {
  try {
    const assembled = assembleSchema(text, reaches, definitions);
    // Before it is parsed: a small document may have many operations that each reach all of it.
    checkUntrustedBytes(assembled);
    const schema = JSON.parse(assembled) as JsonSchema;
    check?.(schema);
    createCheck(schema, { trusted: false });
    return undefined;
  } catch (error) {
    return reasonOf(error) ?? "it cannot be read";
  }
}
