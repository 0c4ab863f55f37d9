import type { JsonObject } from "../json/object.ts";
import type { JsonSource } from "../json/parse.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Tool } from "../tool/tool.ts";
import type { ProviderConversation } from "./conversation/conversation.ts";
import type { Media } from "./media.ts";
import type { RefusedNulls } from "./reading/refused-nulls.ts";
import type { Reply, ReplyCall } from "./reply.ts";
import type { Profile } from "./schema/profile.ts";
import type { StrictLimits } from "./strict-budget.ts";
import type { ToolChoice, ToolChoiceFields } from "./tool-choice.ts";

/** A form for the schema of the arguments: JSON Schema, or the schema of OpenAPI 3.0. */
export type SchemaForm = "json" | "openapi";

/**
 * What a declaration lost in the conversion to a provider's format.
 * - `widened`: the model may produce arguments that the tool will refuse
 * - `narrowed`: some arguments that the tool accepts can no longer be produced
 * - `annotation`: nothing that affects validation
 * - `renamed`: a name was replaced; the original is restored in calls
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

/** The fields of a tool that a dialect may declare. */
export type DeclaredTool = Pick<
  Tool,
  "name" | "title" | "description" | "parameters" | "response" | "annotations" | "strict" | "contentBlocks"
>;

/** What a caller that lists tools may choose. */
export interface DeclarationOptions {
  /** Ask the provider to enforce the schemas if possible. */
  readonly strict: boolean;
  /** One of the dialect's {@link Dialect.schemaForms}. */
  readonly schema: SchemaForm;
}

/** A call's result on its way to the model. */
export interface CallResult {
  readonly call: ReplyCall;
  readonly outcome: Outcome;
  /** Undefined if the tool does not exist. */
  readonly tool: Pick<Tool, "response" | "contentBlocks"> | undefined;
}

/** How one provider's format expresses declarations, calls and results. Pure: no clock, no network, no registry. */
export interface Dialect {
  /** Its key in the table of dialects. */
  readonly name: string;
  /** The forms in which the provider accepts the schema of the arguments. @default ["json"] */
  readonly schemaForms?: readonly SchemaForm[];
  /** The limits of one request for strict tools. @default unlimited */
  readonly strictLimits?: StrictLimits;
  /** Which keywords of JSON Schema the provider accepts. */
  profile(options: DeclarationOptions): Profile;
  /** A tool in the form of the provider's request. */
  declare(tool: DeclaredTool, schema: JsonObject, options: DeclarationOptions): JsonObject;
  /** The value of the request's `tools`. */
  list(declarations: readonly JsonObject[]): readonly JsonObject[];
  /** Maximum number of tools in a request. @default unlimited */
  readonly maxTools?: number;
  /** Maximum length in characters of a description, as far as known. @default unlimited */
  readonly maxDescriptionLength?: number;
  /** The fields of its replies that the provider refuses to take back with the value null. @default none */
  readonly refusedNulls?: RefusedNulls;
  /** Finds the calls in a provider's reply. @throws NotAReply if it is not a reply of that provider */
  readReply(source: JsonSource): Reply;
  /** The messages that are appended to the conversation for results in call order, each as JSON text. */
  writeResults(results: readonly CallResult[]): string[];
  /** Whether a value has members that only replies of this provider have. @default never */
  recognises?(body: unknown): boolean;
  /** Which media of content blocks the result of a call may contain as media. @default none */
  shows?(media: Media, call: ReplyCall): boolean;
  toolChoice(choice: ToolChoice): ToolChoiceFields;
  /** What an agent needs to keep a conversation. Absent if no model uses the dialect. */
  readonly conversation?: ProviderConversation;
}

/** A dialect in which an agent can keep a conversation. */
export interface ConversationDialect extends Dialect {
  readonly conversation: ProviderConversation;
}
