import type { JsonObject } from "../json/object.ts";

/** A JSON Schema: an object of keywords, or `true` (anything) or `false` (nothing). */
export type JsonSchema = JsonObject | boolean;

/**
 * A schema of a validation library that can write itself as JSON Schema.
 * Source: Standard JSON Schema, standardschema.dev/json-schema. Only the part that is used here is typed.
 */
export interface StandardJsonSchema<Input, Output = unknown> {
  readonly "~standard": {
    readonly jsonSchema: {
      readonly input: (options: { target: "draft-2020-12" }) => JsonObject;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}
