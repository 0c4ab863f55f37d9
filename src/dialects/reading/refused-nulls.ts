import { elementTexts, memberSlices } from "../../json/slice.ts";

/** The members that a provider refuses if their value is null, and the members that contain more of them. */
export interface RefusedNulls {
  readonly keys: ReadonlySet<string>;
  readonly inside?: Readonly<Record<string, RefusedNulls>>;
}

/**
 * Whether JSON text may contain a null that {@link omitNulls} removes. One native search: parsing a long reply takes
 * much longer, and few contain any.
 */
export function mayContainRefusedNull(json: string, refused: RefusedNulls): boolean {
  let search = searches.get(refused);
  if (search === undefined) {
    search = new RegExp(`"(?:${[...keysOf(refused)].join("|")})"\\s*:\\s*null`);
    searches.set(refused, search);
  }
  return search.test(json);
}

const searches = new WeakMap<RefusedNulls, RegExp>();

function keysOf({ keys, inside = {} }: RefusedNulls): Set<string> {
  return new Set([...keys, ...Object.values(inside).flatMap((each) => [...keysOf(each)])]);
}

/**
 * JSON text without the members whose null a provider is known to refuse in requests: SDKs of some languages write a
 * null for each field that the reply did not have. A text without such members remains byte for byte the same.
 * @param json an object, an array of objects, or any other value, which remains unchanged
 */
export function omitNulls(json: string, refused: RefusedNulls | undefined): string {
  if (refused === undefined || !json.includes("null")) return json;
  const text = json.trim();
  if (text.startsWith("[")) return omitFromItems(json, refused);
  return text.startsWith("{") ? omitFromMembers(json, refused) : json;
}

function omitFromItems(json: string, refused: RefusedNulls): string {
  const items = [...elementTexts(json)];
  const written = items.map((item) => omitNulls(item, refused));
  return written.every((item, index) => item === items[index]) ? json : `[${written.join(",")}]`;
}

function omitFromMembers(json: string, { keys, inside = {} }: RefusedNulls): string {
  let isSame = true;
  const written: string[] = [];
  for (const { key, name, value } of memberSlices(json)) {
    if (value === "null" && keys.has(key)) {
      isSame = false;
      continue;
    }
    const kept = Object.hasOwn(inside, key) ? omitNulls(value, inside[key]) : value;
    isSame &&= kept === value;
    written.push(`${name}:${kept}`);
  }
  return isSame ? json : `{${written.join(",")}}`;
}
