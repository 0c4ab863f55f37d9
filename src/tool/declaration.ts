import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical.ts";
import { repairText } from "../json/well-formed.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

/** The declaration of a tool in lists. */
export interface Declaration {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly response: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly tags?: readonly string[];
  readonly timeoutMs: number;
  readonly source: string;
  /** `sha256:` of the RFC 8785 form of name, description, parameters and response. */
  readonly hash: string;
}

export function declare(tool: Tool, source: string, timeoutMs: number): Declaration {
  const { name, title, parameters, response = {}, annotations, tags } = tool;
  const description = repairText(tool.description);
  const identity = canonicalJson({ name, description, parameters, response });
  return {
    name,
    ...(title !== undefined && { title: repairText(title) }),
    description,
    parameters,
    response,
    ...(annotations !== undefined && { annotations }),
    ...(tags !== undefined && { tags: tags.map(repairText) }),
    timeoutMs,
    source,
    hash: `sha256:${createHash("sha256").update(identity).digest("hex")}`,
  };
}
