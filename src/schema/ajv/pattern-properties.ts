import { _, type Ajv, type KeywordCxt, Name } from "ajv";
import { mergeEvaluated } from "ajv/dist/compile/util.js";

/**
 * Corrects ajv's `patternProperties`. For `unevaluatedProperties`, it adds the evaluated properties to the list of an
 * earlier keyword. If that keyword evaluated no property, or all, ajv's code throws a TypeError. Here it uses a
 * separate list, which is then added to the other.
 */
export function useOwnListOfPatternProperties(ajv: Ajv): void {
  const rule = ajv.RULES.all["patternProperties"];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  const { definition } = rule;
  // At the same position, because ajv checks keywords in their order, and `unevaluatedProperties` must stay last.
  rule.definition = {
    ...definition,
    code(context: KeywordCxt) {
      const { gen, it } = context;
      const before = it.props;
      if (!(before instanceof Name)) return definition.code(context);
      const own = gen.var("props", _`{}`);
      it.props = own;
      definition.code(context);
      it.props = mergeEvaluated.props(gen, own, before, Name);
    },
  };
}
