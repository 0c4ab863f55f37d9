import { _, type Ajv, type KeywordCxt, Name } from "ajv";
import { mergeEvaluated } from "ajv/dist/compile/util.js";

/**
 * Mends ajv's `patternProperties`. It notes the properties that it has seen, for `unevaluatedProperties`, in what a
 * keyword before it has noted; where that keyword had nothing to note, or all, what ajv writes throws a TypeError. Here
 * it notes them in a list of its own, which is then added to the other.
 */
export function useOwnListOfPatternProperties(ajv: Ajv): void {
  const rule = ajv.RULES.all["patternProperties"];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  const { definition } = rule;
  // In its place, for ajv asks keywords in their order, and `unevaluatedProperties` must stay last.
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
