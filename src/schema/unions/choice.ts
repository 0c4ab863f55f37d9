import { isJsonObject } from "../../json/object.ts";
import { decodeToken } from "../../json/pointer.ts";
import type { Finding } from "../check.ts";
import type { PinnedValues, Pins } from "./tags.ts";

export interface TaggedBranch {
  readonly pins: Pins;
  /** Whether the value lacks a member that this branch requires. */
  isRequired(parent: string, key: string): boolean;
}

interface Settled<Branch> {
  /** The branches that the value's tags do not exclude. */
  readonly meant: readonly Branch[];
  /** The finding about the tag itself: no branch has it. */
  readonly fault?: Finding;
}

/**
 * Chooses among a union's branches by the tags of its value, one tag after the other: those of one value a branch
 * first, then the outer and the telling. A list of values is a tag only if every branch has one there: else it may be
 * any enum.
 */
export function settleTags<Branch extends TaggedBranch>(union: Finding, branches: readonly Branch[]): Settled<Branch> {
  let meant = branches;
  for (const place of placesOf(branches)) {
    const pinning = meant.filter(({ pins }) => pins.has(place));
    const allowed = joined(pinning.map(({ pins }) => pins.get(place)!));
    const isTag = pinning.length === meant.length;
    if (pinning.length === 0 || (isTag && (meant.length === 1 || allowed.size === 1))) continue;
    if (!isTag && pinning.some(({ pins }) => isList(pins, place))) continue;
    const { value, isMissing } = lookUp(union.data, place);
    if (isMissing) {
      const fault = isTag ? missingTag(union, place, meant, allowed) : undefined;
      if (fault !== undefined) return { meant, fault };
      continue;
    }
    const text = JSON.stringify(value);
    const fitting = meant.filter(({ pins }) => pins.get(place)?.has(text) !== false);
    if (fitting.length > 0) meant = fitting;
    else return { meant, fault: unknownTag(union, place, value, allowed) };
  }
  return { meant };
}

function placesOf(branches: readonly TaggedBranch[]): string[] {
  const places = [...new Set(branches.flatMap(({ pins }) => [...pins.keys()]))];
  const depthOf = (place: string): number => place.split("/").length;
  const pinningOf = (place: string): number => branches.filter(({ pins }) => pins.has(place)).length;
  const valuesOf = (place: string): number => joined(branches.flatMap(({ pins }) => pins.get(place) ?? [])).size;
  const listsOf = (place: string): number => (branches.some(({ pins }) => isList(pins, place)) ? 1 : 0);
  return places.toSorted(
    (one, other) =>
      listsOf(one) - listsOf(other) ||
      pinningOf(other) - pinningOf(one) ||
      depthOf(one) - depthOf(other) ||
      valuesOf(other) - valuesOf(one),
  );
}

/** Whether several values are allowed in a member. Of the whole value, any number of them are a tag. */
function isList(pins: Pins, place: string): boolean {
  return place !== "" && (pins.get(place)?.size ?? 0) > 1;
}

function joined(all: readonly PinnedValues[]): PinnedValues {
  return new Map(all.flatMap((values) => [...values]));
}

function lookUp(data: unknown, place: string): { value: unknown; isMissing: boolean } {
  let value = data;
  for (const token of place.split("/").slice(1)) {
    const key = decodeToken(token);
    const isThere = (isJsonObject(value) || Array.isArray(value)) && Object.hasOwn(value, key);
    if (!isThere) return { value: undefined, isMissing: true };
    value = (value as Record<string, unknown>)[key];
  }
  return { value, isMissing: false };
}

function unknownTag(union: Finding, place: string, data: unknown, allowed: PinnedValues): Finding {
  const instancePath = union.instancePath + place;
  return { ...union, instancePath, keyword: "enum", params: { allowedValues: [...allowed.values()] }, data };
}

function missingTag(
  union: Finding,
  place: string,
  branches: readonly TaggedBranch[],
  allowed: PinnedValues,
): Finding | undefined {
  const end = place.lastIndexOf("/");
  const [instancePath, key] = [union.instancePath + place.slice(0, end), decodeToken(place.slice(end + 1))];
  if (!branches.every((branch) => branch.isRequired(instancePath, key))) return undefined;
  const params = { missingProperty: key, allowedValues: [...allowed.values()] };
  return { ...union, instancePath, keyword: "required", params };
}
