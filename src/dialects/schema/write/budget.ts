import { type Bounds, TooLarge } from "./writer.ts";

/**
 * Counts the size and work of a schema. Each function returns whether enough is left, and throws if nothing may be cut.
 */
export interface Budget {
  /** Counts a written schema at a depth of nested schemas. */
  nodes(depth: number): boolean;
  /** Counts a followed reference: definitions reach the same ones by many paths. */
  steps(): boolean;
  /** Counts the merge of two schemas, with the number of schemas in the second. */
  merges(schemas: number): boolean;
}

const maxDepth = 300;

/** @param isRewritten schemas that remain unchanged do not grow, so their size is not limited */
export function createBudget({ nodes, cut = false }: Bounds, isRewritten: boolean): Budget {
  const left = { nodes: isRewritten ? nodes : Infinity, steps: 4 * nodes, merges: 10 * nodes };
  return {
    nodes: (depth) => decide(--left.nodes >= 0 && (depth <= maxDepth || !isRewritten)),
    steps: () => decide(--left.steps >= 0),
    merges: (schemas) => decide((left.merges -= schemas) >= 0),
  };

  function decide(isEnough: boolean): boolean {
    if (!isEnough && !cut) throw new TooLarge("its schema is too large when it is written out");
    return isEnough;
  }
}
