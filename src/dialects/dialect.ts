import type { JsonObject } from "../json/object.ts";
import type { JsonSource } from "../json/parse.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Tool } from "../tool/tool.ts";
import type { RefusedNulls } from "./reading/refused-nulls.ts";
import type { Reply, ReplyCall } from "./reply.ts";
import type { Profile } from "./schema/profiles.ts";
import type { StrictLimits } from "./strict-budget.ts";
import type { ToolChoice, ToolChoiceFields } from "./tool-choice.ts";

/** Every format but the service's own. */
export const dialectNames = ["openai", "openai-responses", "anthropic", "gemini", "ollama", "mcp"] as const;
export type DialectName = (typeof dialectNames)[number];

/** The dialects that models speak. */
export type ModelDialect = Exclude<DialectName, "mcp">;

/** The dialect of a model that names none: many other services use it too. */
export const defaultDialect: ModelDialect = "openai";

/** A way to write the schema of the arguments: as JSON Schema, or as the schema of OpenAPI 3.0. */
export type SchemaForm = "json" | "openapi";

/**
 * What a declaration lost on its way into a provider's words.
 * - `widened`: the model may produce arguments that the tool will refuse
 * - `narrowed`: arguments that the tool takes cannot be produced any more
 * - `annotation`: nothing that decides about a value
 * - `renamed`: another word stands for it, and is taken back in calls
 * - `omitted`: the tool is not in the list
 */
export type WarningKind = "widened" | "narrowed" | "annotation" | "renamed" | "omitted";

export interface Warning {
  readonly tool: string;
  /** JSON Pointer into the tool's `parameters` (`/properties/a`), or `""`. */
  readonly path: string;
  readonly kind: WarningKind;
  readonly message: string;
}

/** What a tool tells of itself, in any dialect. */
export type DeclaredTool = Pick<
  Tool,
  "name" | "title" | "description" | "parameters" | "response" | "annotations" | "strict" | "contentBlocks"
>;

/** What whoever lists tools asks of a dialect. */
export interface DeclarationOptions {
  /** Ask the provider to enforce the schemas where it can. */
  readonly strict: boolean;
  /** One of the dialect's {@link Dialect.schemaForms}. */
  readonly schema: SchemaForm;
}

/** A call's result on its way to the model. */
export interface CallResult {
  readonly call: ReplyCall;
  readonly outcome: Outcome;
  /** Undefined where there is no such tool. */
  readonly tool: Pick<Tool, "response" | "contentBlocks"> | undefined;
}

/** How one provider writes declarations, calls and results. Pure: no clock, no network, no registry. */
export interface Dialect {
  readonly name: DialectName;
  /** The forms in which the provider takes the schema of the arguments. @default ["json"] */
  readonly schemaForms?: readonly SchemaForm[];
  /** What a request may hold of strict tools. @default any number */
  readonly strictLimits?: StrictLimits;
  /** Which keywords of JSON Schema the provider accepts. */
  profile(options: DeclarationOptions): Profile;
  /** A tool as the provider's request holds it. */
  declare(tool: DeclaredTool, schema: JsonObject, options: DeclarationOptions): JsonObject;
  /** The value of the request's `tools`. */
  list(declarations: readonly JsonObject[]): readonly JsonObject[];
  /** How many tools a request takes. @default any number */
  readonly maxTools?: number;
  /** Longest description, in characters, that the provider is known to take. @default any */
  readonly maxDescriptionLength?: number;
  /** What of its replies the provider does not take back with the value null. @default nothing */
  readonly refusedNulls?: RefusedNulls;
  /** Finds the calls in what the provider answered. @throws NotAReply where it is no answer of that provider */
  readReply(source: JsonSource): Reply;
  /** What is appended to the conversation for results in call order: each the JSON text of a message. */
  writeResults(results: readonly CallResult[]): string[];
  /** Whether a value has members that only replies of this provider have. @default none has */
  recognises?(body: unknown): boolean;
  /** Which media of content blocks a call's result may hold as such. @default none */
  shows?(mimeType: string, call: ReplyCall): boolean;
  toolChoice(choice: ToolChoice): ToolChoiceFields;
}
