import { reasonOf } from "../errors/reason.ts";
import type { JsonObject } from "../json/object.ts";
import { repairText, repairValue } from "../json/well-formed.ts";
import type { DeclarationOptions, DeclaredTool, Dialect, Warning } from "./dialect.ts";
import type { Loss } from "./schema/losses.ts";
import type { Profile } from "./schema/profile.ts";
import { notStrict, type Projection, projectSchema, withoutStrict } from "./schema/project.ts";
import { createStrictBudget } from "./strict-budget.ts";

/** Tools in the form of a provider's request, and warnings about what was lost. */
export interface Declarations {
  /** The value of the request's `tools`. */
  readonly tools: readonly JsonObject[];
  readonly warnings: readonly Warning[];
}

/** The part of a dialect that lists tools. */
export type Listing = Pick<
  Dialect,
  "name" | "profile" | "declare" | "list" | "strictLimits" | "maxTools" | "maxDescriptionLength"
>;

/** Writes tools in a dialect. Only a tool that cannot be expressed is left out, with a warning. */
export function declareTools(
  dialect: Listing,
  tools: readonly DeclaredTool[],
  options: DeclarationOptions,
): Declarations {
  const declaring = startDeclarations(dialect, options);
  for (const tool of tools) declaring.add(tool);
  return declaring.end();
}

/** Declares one tool per step, for a caller that does other work between the steps. */
export function startDeclarations(
  dialect: Listing,
  options: DeclarationOptions,
): { add(tool: DeclaredTool): void; end(): Declarations } {
  const budget = createStrictBudget(dialect.strictLimits);
  const declared: JsonObject[] = [];
  const warnings: Warning[] = [];
  return { add, end: () => ({ tools: dialect.list(declared), warnings }) };

  function add(tool: DeclaredTool): void {
    try {
      const strict = tool.strict ?? options.strict;
      const { schema, losses, strict: cost } = projectWithin(tool, strict);
      for (const loss of losses) warnings.push({ tool: tool.name, ...loss });
      if (schema === undefined) return;
      const description = repairText(tool.description);
      const title = tool.title === undefined ? undefined : repairText(tool.title);
      const isWhole = description === tool.description && title === tool.title;
      if (!isWhole) warnings.push({ tool: tool.name, ...surrogateWarning });
      const worded = isWhole ? tool : withWords(tool, description, title);
      declared.push(dialect.declare(worded, schema, { ...options, strict: cost !== undefined }));
      warnOfSize(tool);
    } catch (error) {
      const reason = reasonOf(error) ?? "its schema cannot be read";
      warnings.push({
        tool: tool.name,
        path: "",
        kind: "omitted",
        message: `This tool is left out, because ${reason}.`,
      });
    }
  }

  function projectWithin(tool: DeclaredTool, strict: boolean): Projection {
    const profile = dialect.profile({ ...options, strict });
    const projection = projectOnce(tool, profile);
    const excess = projection.strict && budget.spend(projection.strict);
    if (excess === undefined) return projection;
    const plain = projectOnce(tool, withoutStrict(profile));
    return { ...plain, losses: [notStrict("", excess), ...plain.losses] };
  }

  function warnOfSize({ name, description }: DeclaredTool): void {
    const { maxTools = Infinity, maxDescriptionLength = Infinity } = dialect;
    const warn = (message: string): void => void warnings.push({ tool: name, path: "", kind: "annotation", message });
    if (declared.length === maxTools + 1)
      warn(`The provider accepts at most ${maxTools} tools in a request; this tool is over the limit.`);
    if (description.length > maxDescriptionLength) {
      warn(
        `The description is longer than the ${maxDescriptionLength} characters that the provider is known to accept.`,
      );
    }
  }
}

/** The schemas of a prepared tool are not enumerable, so that a copy does not read them. */
function withWords(tool: DeclaredTool, description: string, title: string | undefined): DeclaredTool {
  const { parameters, response } = tool;
  return {
    ...tool,
    ...(title !== undefined && { title }),
    description,
    parameters,
    ...(response !== undefined && { response }),
  };
}

const surrogateWarning: Loss = {
  path: "",
  kind: "annotation",
  message: "Half a surrogate pair was replaced by U+FFFD, because the provider does not accept it.",
};

const projections = new WeakMap<DeclaredTool, Map<Profile, Projection>>();

/** Lists are written for each filter and set of rights; a tool's schema is projected once. */
function projectOnce(tool: DeclaredTool, profile: Profile): Projection {
  const known = projections.get(tool) ?? new Map<Profile, Projection>();
  projections.set(tool, known);
  const projection = known.get(profile) ?? wellFormed(projectSchema(tool.parameters, profile));
  known.set(profile, projection);
  return projection;
}

/** Names and values with half a surrogate pair cannot be written: the model cannot send what the tool expects there. */
function wellFormed(projection: Projection): Projection {
  const schema = repairValue(projection.schema);
  if (schema === projection.schema) return projection;
  return { ...projection, schema, losses: [...projection.losses, surrogateWarning] };
}
