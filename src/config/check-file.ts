import { isJsonObject } from "../json/object.ts";
import { decodeToken } from "../json/pointer.ts";
import type { Check, Finding } from "../schema/check.ts";
import { settleUnions } from "../schema/unions/settle.ts";
import type { Path } from "../yaml/document.ts";
import type { ConfigFile } from "./config-file.ts";
import { checkOfFile } from "./file-schema.ts";
import { describeFault } from "./file-fault.ts";
import { placeOf, type Tell } from "./place.ts";

/** Sources of tools that are planned. Someone who copied one from elsewhere should not look for a typing error. */
const unsupportedSources: readonly unknown[] = ["openapi", "mcp", "mcpServers", "workers"];

/**
 * Checks a configuration file, with its variables replaced, against `toolhost.schema.json`.
 * @returns its sections that have no fault; what is wrong with the others was reported to `tell`
 */
export function checkFile(value: unknown, tell: Tell): ConfigFile {
  const faulty = new Set<string | number | undefined>();
  const report: Tell = (path, problem) => {
    faulty.add(path[0]);
    tell(path, problem);
  };
  const check = checkOfFile(value);
  if (!check.accepts(value)) reportFindings(check, value, report);
  reportRepeatedKeys(value, report);
  if (!isJsonObject(value) || faulty.has(undefined)) return {};
  const sections = Object.entries(value).filter(([key]) => !faulty.has(key));
  return withOwnNames(Object.fromEntries(sections));
}

function reportFindings(check: Check, value: unknown, tell: Tell): void {
  // ajv reports each fault of a key twice: as the key's own and as the object's.
  const findings = settleUnions(check.findings(value), check.schema).filter((each) => each.propertyName === undefined);
  // A key that is misspelt is also missing: what is there says more.
  const ordered = findings.toSorted((one, other) => Number(isMissing(one)) - Number(isMissing(other)));
  const settled = new Set(findings.filter(isOfWholeSource).map(({ instancePath }) => instancePath));
  for (const finding of ordered) {
    const path = pathOf(finding, value);
    if (isUnsupportedSource(finding)) tell(path, "is not supported yet; use folder");
    else if (!settled.has(sourceOf(finding) ?? "") || isOfWholeSource(finding))
      tell(path, () => describeFault(finding, path));
  }
}

/** Whether it says what is wrong with a source as a whole, so that what its parts lack says nothing. */
function isOfWholeSource(finding: Finding): boolean {
  const isUnion = finding.keyword === "oneOf" && sourceOf(finding) === finding.instancePath;
  return isUnion || isUnsupportedSource(finding);
}

function isMissing({ keyword }: Finding): boolean {
  return keyword === "required";
}

function isUnsupportedSource(finding: Finding): boolean {
  const { instancePath, params } = finding;
  return sourceOf(finding) === instancePath && unsupportedSources.includes(params["additionalProperty"]);
}

/** @returns the pointer of the entry of `tools` that the finding is about or inside of */
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
  const auth = isJsonObject(value) ? value["auth"] : undefined;
  const keys = isJsonObject(auth) ? auth["keys"] : undefined;
  if (!Array.isArray(keys)) return;
  for (const field of ["name", "sha256"]) {
    const first = new Map<string, number>();
    for (const [index, key] of keys.entries()) {
      const text: unknown = isJsonObject(key) ? key[field] : undefined;
      if (typeof text !== "string") continue;
      const earlier = first.get(text);
      if (earlier === undefined) first.set(text, index);
      else tell(["auth", "keys", index, field], `is the same as ${placeOf(["auth", "keys", earlier, field])}`);
    }
  }
}

/** Names that the operator chose are looked up, so they inherit nothing: `constructor` finds what was configured. */
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
