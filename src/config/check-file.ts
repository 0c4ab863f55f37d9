import { isJsonObject } from "../json/object.ts";
import { decodeToken } from "../json/pointer.ts";
import type { Check, Finding } from "../schema/check.ts";
import { settleUnions } from "../schema/unions/settle.ts";
import type { Path } from "../yaml/document.ts";
import type { ConfigFile } from "./config-file.ts";
import { reportKinds } from "./check-sources.ts";
import { fileSchema, type FileSchema } from "./file-schema.ts";
import { describeFault } from "./file-fault.ts";
import { placeOf, type Tell } from "./place.ts";

/**
 * Checks a configuration file, with its variables replaced, against `toolhost.schema.json`.
 * @returns its sections that have no fault; the faults of the others are reported to `tell`
 */
export function checkFile(value: unknown, tell: Tell, { checkOf, kinds }: FileSchema = fileSchema): ConfigFile {
  const faulty = new Set<string | number | undefined>();
  const report: Tell = (path, problem) => {
    faulty.add(path[0]);
    tell(path, problem);
  };
  const check = checkOf(value);
  const withoutKind = reportKinds(value, kinds, report);
  if (!check.accepts(value)) reportFindings(check, value, withoutKind, report);
  reportRepeatedKeys(value, report);
  if (!isJsonObject(value) || faulty.has(undefined)) return {};
  const sections = Object.entries(value).filter(([key]) => !faulty.has(key));
  return withOwnNames(Object.fromEntries(sections));
}

/** @param settled pointers of entries of `tools` whose fault is already reported */
function reportFindings(check: Check, value: unknown, settled: ReadonlySet<string>, tell: Tell): void {
  // ajv reports each fault of a key twice: as the key's own and as the object's.
  const findings = settleUnions(check.findings(value), check.schema).filter((each) => each.propertyName === undefined);
  // A misspelt key is also a missing key: the message about the key that is there is more useful.
  const ordered = findings.toSorted((one, other) => Number(isMissing(one)) - Number(isMissing(other)));
  for (const finding of ordered) {
    if (settled.has(sourceOf(finding) ?? "")) continue;
    const path = pathOf(finding, value);
    tell(path, () => describeFault(finding, path));
  }
}

function isMissing({ keyword }: Finding): boolean {
  return keyword === "required";
}

/** @returns the pointer of the entry of `tools` that the finding is about or that contains it */
function sourceOf({ instancePath }: Finding): string | undefined {
  return /^\/tools\/\d+/.exec(instancePath)?.[0];
}

/** Where a fault is: the key that is unknown or missing, or the value that is wrong. */
function pathOf({ instancePath, params }: Finding, root: unknown): Path {
  const path: (string | number)[] = [];
  let node = root;
  for (const token of instancePath.split("/").slice(1).map(decodeToken)) {
    const key = Array.isArray(node) ? Number(token) : token;
    path.push(key);
    node = (node as Record<string | number, unknown>)[key];
  }
  const key: unknown = params["additionalProperty"] ?? params["missingProperty"] ?? params["propertyName"];
  return typeof key === "string" ? [...path, key] : path;
}

/** JSON Schema cannot compare a field of one item with that of another. */
function reportRepeatedKeys(value: unknown, tell: Tell): void {
  if (!isJsonObject(value)) return;
  const auth = value["auth"];
  const keys = isJsonObject(auth) ? auth["keys"] : undefined;
  for (const { index, earlier, field } of findRepeated(keys, ["name", "sha256"])) {
    tell(["auth", "keys", index, field], `is the same as ${placeOf(["auth", "keys", earlier, field])}`);
  }
  // Which of the two is wrong is unknown: both lines are named.
  for (const { index, earlier, field } of findRepeated(value["tools"], ["name"])) {
    tell(["tools", earlier, field], `is the same as ${placeOf(["tools", index, field])}`);
    tell(["tools", index, field], `is the same as ${placeOf(["tools", earlier, field])}`);
  }
}

interface Repeated {
  readonly index: number;
  /** The first item that has the same text. */
  readonly earlier: number;
  readonly field: string;
}

function findRepeated(items: unknown, fields: readonly string[]): Repeated[] {
  if (!Array.isArray(items)) return [];
  return fields.flatMap((field) => {
    const first = new Map<string, number>();
    return (items as unknown[]).flatMap((item, index) => {
      const text: unknown = isJsonObject(item) ? item[field] : undefined;
      if (typeof text !== "string") return [];
      const earlier = first.get(text);
      if (earlier === undefined) first.set(text, index);
      return earlier === undefined ? [] : [{ index, earlier, field }];
    });
  });
}

/**
 * Names that the operator chose are looked up, so the object inherits nothing: `constructor` finds only a configured
 * tool.
 */
function withOwnNames(file: ConfigFile): ConfigFile {
  if (file.overrides === undefined) return file;
  const overrides = Object.entries(file.overrides).map(([name, override]) => {
    const { bind } = override;
    return [name, bind === undefined ? override : { ...override, bind: withoutPrototype(bind) }] as const;
  });
  return { ...file, overrides: withoutPrototype(Object.fromEntries(overrides)) };
}

function withoutPrototype<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, members);
}
