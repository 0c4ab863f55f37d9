import { pointerToken } from "../../json/pointer.ts";
import { type Encode, encodeText } from "./encode.ts";
import { delimiters, refuseDelimiter } from "./delimiters.ts";
import type { ParameterStyle } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import type { NameGuard } from "./taken-names.ts";
import { isPresent, presentEntries, textOf } from "./value-text.ts";

/** How a value becomes pairs of a name and a value: in a query, a form or a cookie. */
export interface PairPlan {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Where the value is among the arguments, as a JSON Pointer. */
  readonly path: string;
  readonly encode: Encode;
  /** For the items of a list between delimiters. @default encode */
  readonly encodeItem?: Encode;
  readonly guard: NameGuard;
}

export type WritePair = (name: string, value: string) => void;

/**
 * The table of https://spec.openapis.org/oas/v3.2.0.html#style-examples for `form`, `spaceDelimited`, `pipeDelimited`,
 * `deepObject` and `cookie`. Empty arrays and objects are undefined, as in RFC 6570, section 2.3. Values inside of
 * values, which the table does not have, are JSON; `deepObject` nests, with indexes for arrays, as its users do.
 * @param write gets names and values encoded
 * @throws CallError `invalid_arguments`
 */
export function writePairs(plan: PairPlan, value: unknown, write: WritePair): void {
  if (!isPresent(value)) return;
  const { name, style, explode, path, encode, guard } = plan;
  if (typeof value !== "object" || value === null) return write(encodeText(name), encode(textOf(value)));
  if (style === "deepObject") return writeDeep(plan, name, value, path, write);
  if (!explode) return writeJoined(plan, value, write);
  if (Array.isArray(value)) {
    for (const item of value) if (isPresent(item)) write(encodeText(name), encode(textOf(item)));
    return;
  }
  for (const [key, member] of presentEntries(value)) {
    guard.key(key, path + pointerToken(key));
    write(encodeText(key), encode(textOf(member)));
  }
}

function writeDeep(plan: PairPlan, name: string, value: object, path: string, write: WritePair): void {
  for (const [key, member] of presentEntries(value)) {
    const inner = `${name}[${key}]`;
    const innerPath = path + pointerToken(key);
    // It would end the name: `a][` makes `filter[a][]`.
    if (key.includes("]")) throw refuseArgument(innerPath, "must not contain ] in its name");
    plan.guard.member(inner, innerPath);
    if (typeof member === "object" && member !== null) writeDeep(plan, inner, member, innerPath, write);
    else write(encodeText(inner), plan.encode(textOf(member)));
  }
}

function writeJoined(plan: PairPlan, value: object, write: WritePair): void {
  const delimiter = delimiters[plan.style];
  const encode = plan.encodeItem ?? plan.encode;
  const texts = Array.isArray(value)
    ? value.filter(isPresent).map(textOf)
    : presentEntries(value).flatMap(([key, member]) => [key, textOf(member)]);
  if (texts.length === 0) return;
  for (const text of texts) refuseDelimiter(text, delimiter, plan.path);
  write(encodeText(plan.name), texts.map(encode).join(delimiter?.encoded ?? ","));
}
