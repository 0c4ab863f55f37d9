import { isJsonObject } from "../json/object.ts";
import type { Path, YamlDocument } from "../yaml/document.ts";

/**
 * Finds the arguments that overrides bind to an empty place instead of the word `null`. A truncated file leaves empty
 * places, and these must not remove a binding.
 * @param value of the document, as it is checked
 */
export function findEmptyBindings(value: unknown, document: Pick<YamlDocument, "isNullWord">): Path[] {
  const overrides = isJsonObject(value) ? value["overrides"] : undefined;
  return entriesOf(overrides).flatMap(([tool, override]) => {
    const bind = isJsonObject(override) ? override["bind"] : undefined;
    return entriesOf(bind).flatMap(([name, bound]): Path[] => {
      const path = ["overrides", tool, "bind", name];
      const isNull = bound === null;
      const hasNull = isJsonObject(bound) && bound["value"] === null;
      const place = isNull ? path : [...path, "value"];
      return (isNull || hasNull) && !document.isNullWord(place) ? [place] : [];
    });
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
