import { resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { Path } from "../yaml/document.ts";
import type { SourceEntry } from "./config-file.ts";
import { placeOf } from "./place.ts";
import { isDocumentUrl } from "../sources/openapi/setting.ts";
import type { EntryKinds } from "./entry-kinds.ts";

/** A folder that the configuration names, and that must exist. */
export interface NamedFolder {
  readonly path: string;
  /** The setting that names it, such as `toolhost.yaml: tools[0].folder`. */
  readonly setting: string;
}

/** The sources of a file, ready for use. */
export interface SourceValues {
  /** In the order of the file. Their paths are absolute. */
  readonly sources: readonly SourceEntry[];
  readonly folders: readonly NamedFolder[];
}

/**
 * Applies the annotations of the schema to texts at any depth. `path` (`folder`, `file` or `fileOrUrl`): a path
 * relative to the file, which becomes absolute. `writeOnly`: a secret, which is never shown.
 * @param base the folder of the file
 * @param secrets texts that must not be shown; gets more
 */
export function readSourceValues(
  entries: readonly SourceEntry[],
  kinds: EntryKinds,
  { base, fileName, secrets }: { readonly base: string; readonly fileName: string; readonly secrets: Set<string> },
): SourceValues {
  const folders: NamedFolder[] = [];
  const sources = entries.map((entry, index) => {
    const [, schema] = [...kinds.schemas].find(([key]) => Object.hasOwn(entry, key)) ?? [];
    return read(entry, kinds.expand(schema), ["tools", index]) as SourceEntry;
  });
  return { sources, folders };

  function read(value: unknown, schemas: readonly JsonObject[], place: Path): unknown {
    if (typeof value === "string") return readText(value, schemas, place);
    if (Array.isArray(value)) {
      const items = schemas.flatMap((schema) => kinds.expand(schema["items"]));
      return value.map((item, index) => read(item, items, [...place, index]));
    }
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => {
      const fields = schemas.flatMap((schema) => kinds.expand(fieldOf(schema, key)));
      return [key, read(member, fields, [...place, key])] as const;
    });
    return Object.fromEntries(members);
  }

  function readText(text: string, schemas: readonly JsonObject[], place: Path): string {
    if (schemas.some((schema) => schema["writeOnly"] === true)) secrets.add(text);
    const kind = schemas.find((schema) => schema["path"] !== undefined)?.["path"];
    if (kind === undefined || (kind === "fileOrUrl" && isDocumentUrl(text))) return text;
    const absolute = resolve(base, text);
    if (secrets.has(text)) secrets.add(absolute);
    if (kind === "folder") folders.push({ path: absolute, setting: `${fileName}: ${placeOf(place)}` });
    return absolute;
  }
}

function fieldOf({ properties, additionalProperties }: JsonObject, key: string): unknown {
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}
