import { isJsonObject, type JsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { wireKeysOf } from "./write/keys.ts";
import { createLosses, type Loss, StrictObstacle, Unprojectable } from "./losses.ts";
import { modernise, type ModernSchema } from "../../schema/modern.ts";
import type { ConvertedProfile, Profile, WrittenProfile } from "./profile.ts";
import { inspectReferences } from "./references.ts";
import { settleRoot } from "./write/root.ts";
import { costOf, type StrictCost } from "./strict-cost.ts";
import { createWriter, type WriterOptions } from "./write/write.ts";
import { type Bounds, TooLarge } from "./write/writer.ts";

/** A tool's schema in the keywords of a profile. */
export interface Projection {
  /** Undefined if the profile cannot express it; the only loss contains the reason. */
  readonly schema: JsonObject | undefined;
  readonly losses: readonly Loss[];
  /** Set if the provider may enforce the schema: its share of a request's limits. */
  readonly strict: StrictCost | undefined;
}

/**
 * Tried in order, until the output is small enough. Recursive schemas are expanded as long as the output stays short: a
 * model reads all of it with each request.
 */
function attemptsFor({ size }: ModernSchema): readonly Bounds[] {
  // A schema that is already large may stay as large.
  const nodes = Math.max(5000, 2 * size);
  return [
    { nodes: 300, unroll: 2, references: 32 },
    { nodes: 600, unroll: 1, references: 32 },
    { nodes, unroll: 0, references: 32 },
    { nodes, unroll: 0, references: 2, cut: true },
    { nodes: 500, unroll: 0, references: 2, cut: true },
  ];
}

const maxCharacters = 524_288;

/** Writes a schema in the keywords that a profile accepts, and lists what was lost. */
export function projectSchema(source: JsonSchema, profile: Profile): Projection {
  try {
    if ("convert" in profile) return convertSchema(source, profile);
    if (source === false) throw new Unprojectable("its schema accepts nothing");
    return projectModern(modernise(source), profile);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return omitted(reason);
  }
}

/** Why a schema cannot be written. Undefined for any other error. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof RangeError) return "its schema is nested too deeply";
  return error instanceof Unprojectable || error instanceof TooLarge ? error.message : undefined;
}

function omitted(reason: string): Projection {
  return {
    schema: undefined,
    losses: [{ path: "", kind: "omitted", message: `This tool is left out, because ${reason}.` }],
    strict: undefined,
  };
}

function convertSchema(source: JsonSchema, profile: ConvertedProfile): Projection {
  const { schema, widened } = profile.convert(source);
  const { lose, list } = createLosses();
  for (const path of widened) lose(path, "widened", anyValue);
  return { schema, losses: list(), strict: undefined };
}

function projectModern(modern: ModernSchema, profile: WrittenProfile): Projection {
  try {
    const { schema, losses } = writeWithin(modern, profile);
    if (!profile.shape.strict) return { schema, losses, strict: undefined };
    const excess = profile.excessOf?.(schema);
    if (excess !== undefined) throw new StrictObstacle("", excess);
    return { schema, losses, strict: costOf(schema) };
  } catch (error) {
    if (profile.withoutStrict === undefined) throw error;
    const [path, reason] = error instanceof StrictObstacle ? [error.path, error.message] : ["", reasonOf(error)];
    if (reason === undefined) throw error;
    const plain = projectModern(modern, profile.withoutStrict);
    return { ...plain, losses: [notStrict(path, reason), ...plain.losses] };
  }
}

/** The fallback profile for a schema that cannot be strict. */
export function withoutStrict(profile: Profile): Profile {
  return ("withoutStrict" in profile && profile.withoutStrict) || profile;
}

export function notStrict(path: string, reason: string): Loss {
  return { path, kind: "annotation", message: `Not strict: ${reason}.` };
}

function writeWithin(modern: ModernSchema, profile: WrittenProfile): { schema: JsonObject; losses: Loss[] } {
  const { keys, references, plain } = profile.shape;
  const known: Known = {
    references: inspectReferences(modern),
    wireKeys: keys === undefined ? new Map<string, string>() : wireKeysOf(modern, keys.pattern),
  };
  const longest = plain ? Math.max(maxCharacters, 2 * modern.characters) : Infinity;
  // If nothing is expanded in another place, the first attempts would write the same.
  const isWrittenOnce = references === "keep" || modern.definitions.size === 0;
  const attempts = attemptsFor(modern).slice(isWrittenOnce ? 2 : 0);
  for (const bounds of attempts) {
    try {
      const written = write(modern, profile, bounds, known);
      // The last one contains little more than the keys of the source.
      if (bounds === attempts.at(-1) || JSON.stringify(written.schema).length <= longest) return written;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  throw new TooLarge("its schema is too large when it is written out");
}

const anyValue = "The meaning of the reference depends on the validator, so any value is accepted.";

type Known = Pick<WriterOptions, "references" | "wireKeys">;

function write(
  modern: ModernSchema,
  profile: WrittenProfile,
  bounds: Bounds,
  known: Known,
): { schema: JsonObject; losses: Loss[] } {
  const { lose, list } = createLosses();
  for (const path of modern.unresolved) lose(path, "widened", anyValue);
  const writer = createWriter(profile, { ...known, modern, lose, bounds });
  const { node, place } = settleRoot(writer);
  const { type, properties, ...rest } = writer.write(node, place);
  if (String(type).toLowerCase() !== "object") throw new Unprojectable("its root accepts nothing");
  const $defs = writer.writeDefinitions();
  const hasDefinitions = Object.keys($defs).length > 0;
  const schema = {
    type,
    properties: isJsonObject(properties) ? properties : {},
    ...rest,
    ...(hasDefinitions && { $defs }),
  };
  return { schema, losses: list() };
}
