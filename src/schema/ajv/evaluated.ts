import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt, Name } from "ajv";
import type { EvaluatedItems, EvaluatedProperties } from "ajv/dist/types/index.js";
import { mergeEvaluated } from "ajv/dist/compile/util.js";

/**
 * Corrects what ajv counts as evaluated, for `unevaluatedProperties` and `unevaluatedItems`. ajv's code has a constant
 * list until a schema that does not apply to every value, such as a branch of `anyOf`. The code for this schema then
 * makes the constant a variable, so for other values what was evaluated before is lost: ajv's issues 2483 and 2559. If
 * it is the first schema that evaluates anything, its list counts also if the value is not valid for it. Here the list
 * is a variable before each keyword that has such schemas, and a schema adds to it only if the value is valid for it.
 */
export function useExactEvaluation(ajv: Ajv): void {
  for (const keyword of applicators) replaceCode(ajv, keyword, writeWithVariables);
  replaceCode(ajv, "if", writeCondition);
  replaceCode(ajv, "patternProperties", writePatterns);
  replaceCode(ajv, "unevaluatedItems", writeUnevaluatedItems);
}

/** Not `allOf`: each of its schemas applies to every value. */
const applicators = "$ref $dynamicRef $recursiveRef anyOf oneOf dependencies dependentSchemas".split(" ");

type Code = CodeKeywordDefinition["code"];

/** The rule keeps its position, because ajv checks keywords in their order, and `unevaluated…` must stay last. */
function replaceCode(ajv: Ajv, keyword: string, write: (context: KeywordCxt, code: Code) => void): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  const { definition } = rule;
  rule.definition = { ...definition, code: (context) => write(context, definition.code) };
}

function writeWithVariables(context: KeywordCxt, code: Code): void {
  const { it, def } = context;
  it.props = propertiesVariable(context);
  // The code of a keyword for objects does not run for an array.
  if (!def.type.includes("object")) {
    it.items = itemsVariable(context);
    return code(context);
  }
  const { items } = it;
  code(context);
  if (items === undefined) delete it.items;
  else it.items = items;
}

/** ajv's code adds what `if` evaluates for every value, and omits an `if` without `then` and `else`. */
function writeCondition(context: KeywordCxt, code: Code): void {
  const { gen } = context;
  const subschema = context.subschema.bind(context);
  const merge = context.mergeEvaluated.bind(context);
  let valid: Name | undefined;
  context.subschema = (application, result) => {
    valid = result;
    return subschema(application, result);
  };
  context.mergeEvaluated = (schema) => {
    if (valid !== undefined) gen.if(valid, () => merge(schema, Name));
  };
  writeWithVariables(context, code);
  if (valid !== undefined) return;
  const condition = { keyword: "if", compositeRule: true, createErrors: false, allErrors: false } as const;
  context.mergeEvaluated(context.subschema(condition, gen.name("_valid")));
  context.reset();
}

/** ajv's code throws a TypeError if the list that it adds to is `true` or undefined. */
function writePatterns(context: KeywordCxt, code: Code): void {
  const { gen, it } = context;
  const before = propertiesVariable(context);
  if (!(before instanceof Name)) return code(context);
  const own = gen.var("props", emptyList);
  it.props = own;
  code(context);
  it.props = mergeEvaluated.props(gen, own, before, Name);
}

/** ajv's code compares a length with the number of evaluated items, which may be `true`. */
function writeUnevaluatedItems(context: KeywordCxt, code: Code): void {
  const { gen, it } = context;
  const { items } = it;
  if (items instanceof Name) gen.assign(items, _`${items} === true ? Infinity : ${items}`);
  code(context);
}

/** Without a prototype: a property may have the name `toString`. */
const emptyList = _`{__proto__: null}`;

function propertiesVariable({ gen, it: { props } }: KeywordCxt): Name | EvaluatedProperties {
  if (props === true || props instanceof Name) return props;
  const list = gen.var("props", emptyList);
  return props === undefined ? list : mergeEvaluated.props(gen, props, list, Name);
}

function itemsVariable({ gen, it: { items } }: KeywordCxt): Name | EvaluatedItems {
  if (items === true || items instanceof Name) return items;
  return gen.var("items", items ?? 0);
}
