import { isJsonObject } from "../../core/json.ts";
import type { JsonObject, JsonSchema } from "../../core/json-schema.ts";
import { wireKeysOf } from "./keys.ts";
import { createLosses, type Loss, StrictObstacle } from "./losses.ts";
import { keepSchema } from "./mcp-schema.ts";
import { type NormalSchema, normalise, Unprojectable } from "./normalise.ts";
import { type Profile, shapes, type WrittenProfile } from "./profiles.ts";
import { inspectReferences } from "./references.ts";
import { settleRoot } from "./root.ts";
import { costOf, overOpenaiLimit, type StrictCost } from "./strict-cost.ts";
import { createWriter, type WriterOptions } from "./write.ts";
import { type Bounds, TooLarge } from "./writer.ts";

/** A tool's schema in a profile's words. */
export interface Projection {
  /** Undefined: the profile cannot say it, and the only loss tells why. */
  readonly schema: JsonObject | undefined;
  readonly losses: readonly Loss[];
  /** The provider may be asked to enforce it; what that takes of a request's limits. */
  readonly strict: StrictCost | undefined;
}

/**
 * Tried in turn, until what is written is small enough. What refers to itself is written out as long as it stays short:
 * a model reads all of it with each request.
 */
const attempts: readonly Bounds[] = [
  { nodes: 1000, unroll: 2, references: 32 },
  { nodes: 1000, unroll: 1, references: 32 },
  { nodes: 5000, unroll: 0, references: 32 },
  { nodes: 5000, unroll: 0, references: 2 },
];
const maxCharacters = 524_288;

/** Writes a schema in the words that a profile takes, and lists what that lost. */
export function projectSchema(source: JsonSchema, profile: Profile): Projection {
  if (profile === "mcp") return { schema: keepSchema(source), losses: [], strict: undefined };
  try {
    return projectNormal(normalise(source), profile);
  } catch (error) {
    if (error instanceof RangeError) return omitted("its schema is nested too deeply");
    if (error instanceof Unprojectable || error instanceof TooLarge) return omitted(error.message);
    throw error;
  }
}

function omitted(reason: string): Projection {
  return {
    schema: undefined,
    losses: [{ path: "", kind: "omitted", message: `Left out: ${reason}.` }],
    strict: undefined,
  };
}

function projectNormal(normal: NormalSchema, profile: WrittenProfile): Projection {
  try {
    const { schema, losses } = writeWithin(normal, profile);
    if (!shapes[profile].strict) return { schema, losses, strict: undefined };
    const excess = profile === "openai-strict" ? overOpenaiLimit(schema) : undefined;
    if (excess !== undefined) throw new StrictObstacle("", excess);
    return { schema, losses, strict: costOf(schema) };
  } catch (error) {
    if (!(error instanceof StrictObstacle)) throw error;
    const plain = projectNormal(normal, withoutStrict(profile));
    return { ...plain, losses: [notStrict(error.path, error.message), ...plain.losses] };
  }
}

/** The profile that takes over where a schema cannot be strict. */
export function withoutStrict<P extends Profile>(profile: P): P {
  return profile.replace("-strict", "") as P;
}

export function notStrict(path: string, reason: string): Loss {
  return { path, kind: "annotation", message: `Not strict: ${reason}.` };
}

function writeWithin(normal: NormalSchema, profile: WrittenProfile): { schema: JsonObject; losses: Loss[] } {
  const { keys, references } = shapes[profile];
  const known: Known = {
    references: inspectReferences(normal),
    wireKeys: keys === undefined ? new Map<string, string>() : wireKeysOf(normal, keys.pattern),
  };
  // Where nothing is written out in another's place, every attempt would write the same.
  const isWrittenOnce = references === "keep" || normal.definitions.size === 0;
  for (const bounds of isWrittenOnce ? attempts.slice(-1) : attempts) {
    try {
      const written = write(normal, profile, bounds, known);
      if (JSON.stringify(written.schema).length <= maxCharacters) return written;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  throw new TooLarge("its schema is too large when it is written out");
}

type Known = Pick<WriterOptions, "references" | "wireKeys">;

function write(
  normal: NormalSchema,
  profile: WrittenProfile,
  bounds: Bounds,
  known: Known,
): { schema: JsonObject; losses: Loss[] } {
  const { lose, list } = createLosses();
  for (const path of normal.unresolved) lose(path, "widened", "The reference leads nowhere; any value is taken.");
  const writer = createWriter(profile, { ...known, normal, lose, bounds });
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
