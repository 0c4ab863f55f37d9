import { isJsonObject } from "../json/object.ts";

/**
 * The tools that a module exports: `tool`, one object, or `tools`, a list of them; by name, as the default export, or as
 * CommonJS's `module.exports`. A default export may also be the tool or the list itself.
 * @param namespace what `import()` gave
 * @throws Error that says what it exports instead
 */
export function findTools(namespace: unknown): object[] {
  const holders = holdersOf(namespace);
  const found = new Set<unknown>();
  for (const [depth, holder] of holders.entries()) {
    if (Array.isArray(holder)) for (const each of holder) found.add(each);
    else if (depth > 0 && isTool(holder)) found.add(holder);
    else for (const each of toolsIn(holder as Readonly<Record<string, unknown>>)) found.add(each);
  }
  if (found.size === 0) throw new Error(`the module ${describe(holders[0])}`);
  return [...found].map((each, index) => {
    if (isJsonObject(each)) return each;
    const which = found.size === 1 ? '"tool"' : `the tool at position ${index + 1}`;
    throw new Error(`${which} is ${kindOf(each)}, and must be an object { name, … }`);
  });
}

type Holder = Readonly<Record<string, unknown>> | readonly unknown[];

/** The module, and its default export; that of TypeScript or Babel, compiled to CommonJS, is one level further down. */
function holdersOf(namespace: unknown): Holder[] {
  const holders: Holder[] = [];
  for (let holder = namespace; holders.length < 3 && isHolder(holder);) {
    holders.push(holder);
    const isLast = Array.isArray(holder) || (holders.length > 1 && isTool(holder));
    holder = isLast ? undefined : (holder as Readonly<Record<string, unknown>>)["default"];
  }
  return holders;
}

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}

function isTool(holder: Holder): boolean {
  return "execute" in holder || ("name" in holder && "description" in holder);
}

/** @throws Error */
function toolsIn({ tool, tools }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const named = tool === undefined ? [] : [tool];
  if (tools === undefined) return named;
  if (!Array.isArray(tools)) throw new Error(`"tools" is ${kindOf(tools)}, and must be a list of tools`);
  if (tools.length === 0) throw new Error('"tools" is an empty list');
  return [...named, ...(tools as unknown[])];
}

function describe(namespace: Holder | undefined): string {
  const exported = Object.keys(namespace ?? {}).filter((name) => name !== "module.exports");
  const byDefault = (namespace as { readonly default?: unknown } | undefined)?.default;
  const what =
    exported.length === 0
      ? "nothing"
      : exported
          .slice(0, 10)
          .map((name) => (name === "default" ? `default, which is ${kindOf(byDefault)}` : name))
          .join(", ");
  return `does not export a tool: export const tool = { name, … }; it exports ${what}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object without execute" : `a ${typeof value}`;
}
