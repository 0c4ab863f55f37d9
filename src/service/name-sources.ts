import { createHash } from "node:crypto";
import { reservedNames } from "../config/source-name.ts";

/** The data from which a source gets its name. */
export interface SourceNaming {
  /** Its kind and what distinguishes it from others of its kind. */
  readonly id: string;
  /** The name that the operator wrote. */
  readonly ownName: string | undefined;
  /** Its name if no other source has it. */
  readonly proposedName: string;
}

/**
 * Names that no two sources share. The names that operators wrote come first, then those in use, which stay whatever
 * else is added, removed or moved. Of several new sources with one name, the first gets it.
 * @param inForce the sources that have names
 * @returns the names, in the order of the sources
 */
export function nameSources(
  sources: readonly SourceNaming[],
  inForce: readonly { readonly id: string; readonly name: string }[],
): string[] {
  const names = new Map<SourceNaming, string>();
  const taken = new Set(reservedNames);
  const offer = (nameOf: (source: SourceNaming) => string | undefined): void => {
    for (const source of sources) {
      const name = names.has(source) ? undefined : nameOf(source);
      if (name === undefined || taken.has(name)) continue;
      names.set(source, name);
      taken.add(name);
    }
  };
  const before = new Map(inForce.map(({ id, name }) => [id, name]));
  offer(({ ownName }) => ownName);
  offer(({ id }) => before.get(id));
  offer(({ proposedName }) => proposedName);
  offer(withEnding);
  // Two sources with one id: such a document may be listed twice, with other settings.
  for (let count = 2; names.size < sources.length; count++) offer((source) => `${withEnding(source)}-${count}`);
  return sources.map((source) => names.get(source)!);
}

/** The ending depends on the source alone: no other source gets this name later. */
function withEnding({ proposedName, id }: SourceNaming): string {
  return `${proposedName}-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
}
