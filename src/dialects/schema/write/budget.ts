import { type Bounds, TooLarge } from "./writer.ts";

/** Counts what a schema takes. Each answers whether there is enough left; where nothing may be cut short it throws. */
export interface Budget {
  /** Takes a schema that is written, inside so many others. */
  nodes(depth: number): boolean;
  /** Takes a reference that is followed: definitions lead to the same ones by many ways. */
  steps(): boolean;
  /** Takes two schemas that are made one, with as many in the second. */
  merges(schemas: number): boolean;
}

const maxDepth = 300;

/** @param isRewritten schemas that are kept as they are written grow no larger, and are as large as they are */
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
