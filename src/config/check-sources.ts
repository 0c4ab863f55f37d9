import { inQuotes } from "../json/in-quotes.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { closest } from "../schema/suggest.ts";
import type { Path } from "../yaml/document.ts";
import type { Tell } from "./place.ts";
import { type EntryKinds, keysAsWords } from "./entry-kinds.ts";

/**
 * Reports entries of `tools` that are not of exactly one kind.
 * @returns the JSON Pointers of these entries: the schema's findings inside them do not help
 */
export function reportKinds(file: unknown, kinds: EntryKinds, tell: Tell): ReadonlySet<string> {
  const pointers = new Set<string>();
  const entries = isJsonObject(file) && Array.isArray(file["tools"]) ? (file["tools"] as unknown[]) : [];
  for (const [index, entry] of entries.entries()) {
    if (isJsonObject(entry) && isWithoutKind(entry, ["tools", index], kinds, tell)) pointers.add(`/tools/${index}`);
  }
  return pointers;
}

function isWithoutKind(entry: JsonObject, path: Path, { schemas, planned }: EntryKinds, tell: Tell): boolean {
  const keys = Object.keys(entry);
  const unsupported = planned.filter((key) => Object.hasOwn(entry, key));
  for (const key of unsupported) {
    tell([...path, key], `is not supported yet; use ${keysAsWords(schemas)}`);
  }
  if (unsupported.length > 0) return true;
  const given = keys.filter((key) => schemas.has(key));
  if (given.length === 1) return false;
  if (given.length > 1)
    tell(path, `must be one source, but contains ${inQuotes(given, " and ")}; write an entry for each`);
  else reportNoKind(keys, path, schemas, tell);
  return true;
}

/** A message about the unknown key is more useful than one about the missing key. */
function reportNoKind(keys: readonly string[], path: Path, schemas: EntryKinds["schemas"], tell: Tell): void {
  const kinds = [...schemas.keys()];
  const fields = new Set([...schemas.values()].flatMap(({ properties }) => Object.keys(properties as object)));
  const wanted = kinds.length === 1 ? `the only known key is "${kinds[0]}"` : `use ${keysAsWords(schemas)}`;
  const unknown = keys.filter((key) => !fields.has(key));
  for (const key of unknown) {
    tell([...path, key], () => {
      const meant = closest(key, kinds) ?? closest(key, fields);
      return meant === undefined ? `is unknown; ${wanted}` : `is unknown; did you mean "${meant}"?`;
    });
  }
  if (unknown.length === 0) tell(path, `does not say what kind of source it is; ${wanted}`);
}
