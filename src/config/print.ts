import { Document, isCollection, isNode, isPair } from "yaml";
import { isJsonObject } from "../json/object.ts";
import type { Path } from "../yaml/document.ts";
import type { ConfigReading } from "./read-config.ts";
import { placeOf } from "./place.ts";

const mask = "***";

const head =
  "# The configuration that flags, variables and toolhost.yaml give together. To write toolhost.yaml, see docs/configuration.md.\n";

/**
 * A configuration as YAML, for people: every value with its origin. Keys and strings that contain a value of the
 * environment by `${NAME}` are masked.
 */
export function printConfig({ config, origins, secrets }: ConfigReading): string {
  const document = new Document(maskSecrets(config, secrets), { aliasDuplicateObjects: false });
  for (const [key, value] of Object.entries(config)) note([key], isJsonObject(value) || Array.isArray(value));
  for (const key of Object.keys(config.limits)) note(["limits", key], false);
  for (const index of config.sources.keys()) note(["sources", index], false);
  for (const index of config.egress.allow.keys()) note(["egress", "allow", index], true);
  return head + document.toString({ lineWidth: 0, commentString: (comment) => `# ${comment}` });

  function note(path: Path, mayBeSilent: boolean): void {
    const origin = origins.get(placeOf(path)) ?? (mayBeSilent ? undefined : "default");
    const node = document.getIn(path, true);
    if (origin === undefined || !isNode(node)) return;
    if (!isCollection(node)) node.comment = origin;
    else if (path.length > 1) node.commentBefore = origin;
    else findKey(path)!.commentBefore = origin;
  }

  function findKey(path: Path) {
    const contents = document.contents;
    const pair = isCollection(contents)
      ? contents.items.find((item) => isPair(item) && String(item.key) === path[0])
      : undefined;
    return isPair(pair) && isNode(pair.key) ? pair.key : undefined;
  }
}

/** A value that is not set is shown as null, so that readers see that it can be set. */
function maskSecrets(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (typeof value === "string") return secrets.has(value) ? mask : value;
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, secrets));
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskSecrets(member, secrets)]));
}
