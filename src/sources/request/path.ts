import { pointerToken } from "../../json/pointer.ts";
import type { JsonObject } from "../../json/object.ts";
import { delimiters, refuseDelimiter } from "./delimiters.ts";
import { encodeLiteral, encodeText } from "./encode.ts";
import { joinSimple } from "./simple.ts";
import type { ParameterPlan, RequestPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { isPresent, presentEntries, textOf } from "./value-text.ts";

export interface PathWriter {
  /** The path below the base, encoded, with its slash. */
  readonly write: (args: JsonObject) => string;
  /** A query that the document wrote into its path, such as `action=list`; otherwise empty. */
  readonly query: (args: JsonObject) => string;
}

/**
 * Each value is one segment, or a part of one: `/`, `?`, `#` and `%` in it are encoded. A segment `.` or `..`, which every URL parser
 * removes even if it is written `%2e`, and an empty one are refused.
 */
export function compilePath(parts: RequestPlan["path"]): PathWriter {
  const { path, query } = splitQuery(parts);
  const writePath = compileParts(path);
  const writeQuery = compileParts(query);
  const parameters = path.filter((part) => typeof part !== "string");
  const isFixed = parameters.length === 0;
  const fixed = isFixed ? withSlash(writePath({})) : "";
  return {
    write: isFixed
      ? () => fixed
      : (args) => {
          const written = withSlash(writePath(args));
          if (dotSegment.test(written))
            throw refuseArgument(pathOf(parameters), 'must not make a path segment "." or ".."');
          return written;
        },
    query: query.length === 0 ? () => "" : writeQuery,
  };
}

const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** The first of them: which one made the segment cannot be told apart if several are in it. */
function pathOf(parameters: readonly ParameterPlan[]): string {
  return parameters.length === 1 ? pointerToken(parameters[0]!.argument) : "";
}

function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/** Some documents tell operations apart by a query or a fragment in the path. A fragment is never sent. */
function splitQuery(parts: RequestPlan["path"]): Record<"path" | "query", RequestPlan["path"]> {
  const path: (string | ParameterPlan)[] = [];
  const query: (string | ParameterPlan)[] = [];
  let target = path;
  for (const part of parts) {
    if (typeof part !== "string") {
      target.push(part);
      continue;
    }
    const [text = "", fragment] = part.split(/#(.*)/s);
    const mark = target === path ? text.indexOf("?") : -1;
    target.push(mark === -1 ? text : text.slice(0, mark));
    if (mark !== -1) {
      target = query;
      target.push(text.slice(mark + 1));
    }
    if (fragment !== undefined) break;
  }
  return { path, query };
}

function compileParts(parts: RequestPlan["path"]): (args: JsonObject) => string {
  const writers = parts.map((part) => {
    if (typeof part === "string") {
      const text = encodeLiteral(part);
      return () => text;
    }
    const path = pointerToken(part.argument);
    return (args: JsonObject) => {
      const value = Object.hasOwn(args, part.argument) ? args[part.argument] : undefined;
      const text = isPresent(value) ? pathText(part, value) : "";
      if (text === "") throw refuseArgument(path, "must not be empty, because it is a part of the path");
      if (/^\.{1,2}$/.test(text) && part.style === "simple") throw refuseArgument(path, 'must not be "." or ".."');
      return text;
    };
  });
  return (args) => {
    let written = "";
    for (const write of writers) written += write(args);
    return written;
  };
}

/** https://spec.openapis.org/oas/v3.2.0.html#style-examples for `simple`, `label` (RFC 6570, 3.2.5) and `matrix` (3.2.7). */
function pathText(plan: ParameterPlan, value: unknown): string {
  const { style, explode, mediaType } = plan;
  if (mediaType !== undefined) return encodeText(textOf(value));
  if (style === "label") return labelText(value, explode);
  if (style === "matrix") return matrixText(encodeText(plan.name), value, explode);
  const delimiter = delimiters[style];
  if (delimiter === undefined) return joinSimple(value, explode, encodeText);
  const encode = (text: string): string => {
    if (Array.isArray(value)) refuseDelimiter(text, delimiter, pointerToken(plan.argument));
    return encodeText(text);
  };
  return joinSimple(value, explode, encode, delimiter.encoded);
}

function labelText(value: unknown, explode: boolean): string {
  if (typeof value !== "object" || value === null) return `.${encodeText(textOf(value))}`;
  const texts = Array.isArray(value)
    ? value.filter(isPresent).map((item) => encodeText(textOf(item)))
    : presentEntries(value).map(
        ([key, member]) => `${encodeText(key)}${explode ? "=" : ","}${encodeText(textOf(member))}`,
      );
  return texts.length === 0 ? "" : `.${texts.join(explode ? "." : ",")}`;
}

function matrixText(name: string, value: unknown, explode: boolean): string {
  const pair = (key: string, text: string): string => (text === "" ? `;${key}` : `;${key}=${text}`);
  if (typeof value !== "object" || value === null) return pair(name, encodeText(textOf(value)));
  const joined = explode ? "" : joinSimple(value, false, encodeText);
  if (!explode) return joined === "" ? "" : pair(name, joined);
  return Array.isArray(value)
    ? value
        .filter(isPresent)
        .map((item) => pair(name, encodeText(textOf(item))))
        .join("")
    : presentEntries(value)
        .map(([key, member]) => pair(encodeText(key), encodeText(textOf(member))))
        .join("");
}
