import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { encodeReserved, encodeReservedItem, encodeText } from "./encode.ts";
import { type PairPlan, writePairs } from "./pairs.ts";
import type { BodyPlan, EncodingPlan } from "./plan.ts";
import { joinQuery } from "./query.ts";
import { createNameGuard } from "./taken-names.ts";
import { isPresent, textOf } from "./value-text.ts";

/**
 * An `application/x-www-form-urlencoded` body. A property whose encoding has a `style`, `explode` or `allowReserved` is written
 * as a query parameter is; otherwise an array is repeated, and objects are JSON
 * (https://spec.openapis.org/oas/v3.2.0.html#encoding-the-x-www-form-urlencoded-media-type). A space is `%20`, which every
 * form decoder reads.
 * @param pathOf the place of a property among the arguments
 * @param names all names that the document declares: an exploded object cannot write those of others
 */
export function writeForm(
  { encoding = {} }: BodyPlan,
  value: JsonObject,
  pathOf: (property: string) => string,
  names: readonly string[],
): string {
  let form = "";
  const write = (name: string, text: string): void => {
    form = joinQuery(form, `${name}=${text}`);
  };
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    const plan = pairPlan(name, own, pathOf(name), names);
    const isStyled = own?.style !== undefined || own?.explode !== undefined || own?.allowReserved === true;
    const isJson = isJsonObject(member) && !isStyled;
    const isDeclaredJson = own?.mediaType !== undefined && /[/+]json\b/i.test(own.mediaType) && isPresent(member);
    if (isJson || (isDeclaredJson && !isStyled)) write(encodeText(name), encodeText(jsonText(member, isDeclaredJson)));
    else writePairs(plan, member, write);
  }
  return form;
}

function jsonText(value: unknown, isDeclared: boolean): string {
  return isDeclared && typeof value === "string" ? JSON.stringify(value) : textOf(value);
}

function pairPlan(name: string, own: EncodingPlan | undefined, path: string, names: readonly string[]): PairPlan {
  const { style = "form", explode = style === "form" || style === "deepObject", allowReserved = false } = own ?? {};
  return {
    name,
    style,
    explode,
    path,
    encode: allowReserved ? encodeReserved : encodeText,
    ...(allowReserved && { encodeItem: encodeReservedItem }),
    guard: createNameGuard(names.filter((each) => each !== name)),
  };
}
