import type { StandardJsonSchema } from "../../../src/schema/json-schema.ts";

export interface LibraryRow {
  readonly library: string;
  readonly schema: string;
  /** The arguments, as JSON. */
  readonly value: string;
  readonly jsonSchema: "accepts" | "refuses";
  /** What the library itself says. */
  readonly check: "accepts" | "refuses" | "throws";
  /** The arguments that `execute` gets as JSON, or the path and message of the issue, or the code of the error. */
  readonly outcome: string;
}

type RowSchema = StandardJsonSchema<unknown> & { "~standard": { validate(value: unknown): unknown } };

export function readRows(): LibraryRow[];
export function makeSchema(row: LibraryRow): Promise<RowSchema>;
