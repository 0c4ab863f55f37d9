import { reasonOf } from "../errors/reason.ts";
import { createCheck } from "../schema/check.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/**
 * Checks a schema that a stranger wrote.
 * @param name of the field that contains it, for the message
 * @param check a further check
 * @throws Error with the reason for a person
 */
export function checkForeignSchema(name: string, schema: JsonSchema, check?: (schema: JsonSchema) => void): void {
  try {
    // The bounds first: the other check may take long for a schema that breaks them.
    createCheck(schema, { trusted: false });
    check?.(schema);
  } catch (error) {
    throw new Error(`in "${name}", ${reasonOf(error) ?? "the schema cannot be read"}`, { cause: error });
  }
}
