import { isJsonObject } from "../json/object.ts";
import { parseCounted } from "../json/parse.ts";
import { decodeToken } from "../json/pointer.ts";
import type { Check, Finding } from "./check.ts";
import { settleUnions } from "./unions/settle.ts";

export interface Repair {
  /** JSON Pointer into the arguments as they were sent. */
  readonly path: string;
  /**
   * A string contained the JSON that was expected; `null` replaced an absent optional property; a key that a provider's
   * declaration had renamed has its own name again.
   */
  readonly kind: "parsed_json" | "dropped_null" | "restored_key";
}

export interface Repaired {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
}

/** A repair can reveal another fault below it. Models do not nest faults deeper than this. */
const maxRounds = 8;

/** Arguments with more values are not repaired, nor strings with more values in total. No model writes so many. */
const maxValues = 50_000;

/**
 * Repairs common mistakes of models in arguments that failed their check: JSON inside a string if the schema requires
 * another type, and `null` for an optional property that does not allow it.
 * @returns undefined if that does not make the arguments valid: then nothing is repaired
 */
export function repairArguments(check: Check, value: unknown): Repaired | undefined {
  if (!hasAtMost(maxValues, value)) return undefined;
  // First the findings of the branch of a union that was probably meant, then those of all branches.
  return (
    repairWhat(check, value, (findings) => settleUnions(findings, check.schema)) ??
    repairWhat(check, value, (findings) => findings)
  );
}

function repairWhat(
  check: Check,
  value: unknown,
  select: (findings: readonly Finding[]) => readonly Finding[],
): Repaired | undefined {
  const holder = { root: structuredClone(value) };
  const left = { values: maxValues };
  const repairs: Repair[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const findings = select(check.findings(holder.root));
    const mended =
      mend(holder, findings, (place, finding) => parseString(place, finding, left), "parsed_json") ??
      mend(holder, findings, dropNull, "dropped_null");
    if (mended === undefined) return undefined;
    repairs.push(...mended);
    if (check.accepts(holder.root)) return { value: holder.root, repairs };
  }
  return undefined;
}

type Mend = (place: Place, finding: Finding) => boolean;

function mend(
  holder: { root: unknown },
  findings: readonly Finding[],
  apply: Mend,
  kind: Repair["kind"],
): Repair[] | undefined {
  const repairs = new Map<string, Repair>();
  for (const finding of findings) {
    const path = finding.instancePath;
    if (repairs.has(path)) continue;
    const place = locate(holder, path);
    if (place !== undefined && apply(place, finding)) repairs.set(path, { path, kind });
  }
  return repairs.size === 0 ? undefined : [...repairs.values()];
}

function parseString({ parent, key }: Place, finding: Finding, left: { values: number }): boolean {
  const value = parent[key];
  if (!wantsNoString(finding)) return false;
  // Text that can only be a string is not parsed again.
  if (typeof value !== "string" || !/^\s*(?:[[{\d-]|true\s*$|false\s*$|")/.test(value)) return false;
  try {
    const { value: parsed, refusals, values } = parseCounted(value, left.values);
    left.values -= values;
    if (refusals.length > 0 || parsed === null) return false;
    parent[key] = parsed;
    return true;
  } catch {
    return false;
  }
}

const dropNull: Mend = ({ parent, key }, finding) => {
  if (parent[key] !== null || Array.isArray(parent) || finding.instancePath === "") return false;
  delete parent[key];
  return true;
};

/** The finding is about the type of the value, not about the length or content of a string. */
function wantsNoString({ keyword, params }: Finding): boolean {
  if (keyword === "type") return true;
  const allowed: unknown = keyword === "enum" ? params["allowedValues"] : [params["allowedValue"]];
  return (keyword === "enum" || keyword === "const") && Array.isArray(allowed) && allowed.some(isNoString);
}

function isNoString(value: unknown): boolean {
  return typeof value !== "string";
}

interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
}

function locate(holder: { root: unknown }, path: string): Place | undefined {
  const keys = path.split("/").slice(1).map(decodeToken);
  let place: Place = { parent: holder, key: "root" };
  for (const key of keys) {
    const next = place.parent[place.key];
    if (!isJsonObject(next) && !Array.isArray(next)) return undefined;
    place = { parent: next as Record<string, unknown>, key };
  }
  return Object.hasOwn(place.parent, place.key) ? place : undefined;
}

function hasAtMost(limit: number, root: unknown): boolean {
  const values = [root];
  // The list grows during the loop.
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (values.length + members.length > limit) return false;
    values.push(...members);
  }
  return true;
}
