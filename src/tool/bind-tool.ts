import { valueAt } from "../json/pointer.ts";
import type { Check, CheckOptions } from "../schema/check.ts";
import { mentions } from "../schema/fixed/fixed-properties.ts";
import { knownProperties } from "../schema/fixed/known-properties.ts";
import { withoutProperties } from "../schema/fixed/without-properties.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { LintFinding } from "../schema/lint/lint.ts";
import { closest } from "../schema/suggest.ts";
import { subschemas } from "../schema/walk.ts";
import type { Tool } from "./tool.ts";
import type { Bound, BoundTo } from "./overrides.ts";

/** The arguments of a tool that its callers do not choose. */
export interface Binding {
  readonly bound: ReadonlyMap<string, BoundTo>;
  /** Callers that can have no claims do not see the tool. */
  readonly needsClaims: boolean;
  /** The tool's own schema: of what a call sends together with what is bound. */
  readonly parameters: Check;
}

interface BoundTool {
  /** As it is listed: its parameters do not name what is bound. */
  readonly tool: Tool;
  /** Absent if nothing is bound. */
  readonly binding: Binding | undefined;
  readonly lint: readonly LintFinding[];
}

/**
 * Takes bound arguments out of a tool's declaration.
 * @param own the check of the tool's own schema
 * @param before names that were bound when the tool was registered before
 * @throws Error if it lacks one that must be bound, or no arguments are valid with what is bound
 */
export function bindTool(
  tool: Tool,
  bind: ReadonlyMap<string, Bound>,
  own: Check,
  before: ReadonlySet<string>,
  options: CheckOptions,
): BoundTool {
  const asked = [...bind].flatMap(([name, { to, isByName }]) => (to === null ? [] : [{ name, to, isByName }]));
  if (asked.length === 0) return { tool, binding: undefined, lint: [] };
  const source = tool.parameters as JsonObject;
  const known = knownProperties(source);
  const bound = new Map<string, BoundTo>();
  const lint: LintFinding[] = [];
  for (const { name, to, isByName } of asked) {
    checkBoundTo(name, to);
    if (known.has(name)) {
      bound.set(name, to);
      continue;
    }
    const meant = closest(name, known.names);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    const message = `"overrides" binds "${name}", which is not an argument of the tool${hint}`;
    if (isByName) throw new Error(message);
    if (before.has(name)) throw new Error(`"overrides" binds the argument "${name}", which the tool no longer has`);
    lint.push({ path: "", message });
  }
  if (bound.size === 0) return { tool, binding: undefined, lint };
  const fixed = new Map([...bound].map(([name, to]) => [name, "value" in to ? { value: to.value } : undefined]));
  const { schema, dropped } = withoutProperties(source, fixed, options);
  for (const keyword of dropped) {
    const message = `the keyword "${keyword}" depends on a bound argument, so the declaration does not contain this keyword; calls are still checked with it`;
    lint.push({ path: "/parameters", message });
  }
  if (mentions(fixed, tool.description)) {
    lint.push({
      path: "/description",
      message: 'the description mentions a bound argument; "overrides" can set another description',
    });
  }
  for (const path of textsNaming(fixed, schema)) {
    lint.push({ path, message: "the text mentions a bound argument" });
  }
  const needsClaims = [...bound.values()].some((to) => "claim" in to);
  const { response } = tool;
  const listed = { ...tool, parameters: schema, ...(response !== undefined && { response }) };
  return { tool: listed, binding: { bound, needsClaims, parameters: own }, lint };
}

/** Where titles and descriptions of other arguments name one of the bound ones, as JSON Pointers into the tool. */
function textsNaming(fixed: ReadonlyMap<string, unknown>, schema: JsonObject, path = "/parameters"): string[] {
  const own = ["title", "description"]
    .filter((keyword) => typeof schema[keyword] === "string" && mentions(fixed, schema[keyword]))
    .map((keyword) => `${path}/${keyword}`);
  const inner = [...subschemas(schema)].flatMap((each) =>
    isJsonObject(each.schema) ? textsNaming(fixed, each.schema, path + each.path) : [],
  );
  return [...own, ...inner];
}

/** A program has no configuration file that would have said so. */
function checkBoundTo(name: string, to: BoundTo): void {
  const isBoundTo =
    typeof to === "object" &&
    Object.keys(to).length === 1 &&
    ("value" in to || ("claim" in to && typeof to.claim === "string") || ("session" in to && to.session === true));
  if (!isBoundTo) throw new Error(`the value of "${name}" in "bind" must be { value }, { claim } or { session: true }`);
  if (name === "__proto__") throw new Error('"bind" contains __proto__, which is not the name of an argument');
}

/** The claim of a token, by its name or by a JSON Pointer. */
export function findClaim(claims: Readonly<JsonObject>, claim: string): unknown {
  if (claim.startsWith("/")) return valueAt(claims, claim);
  return Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}
