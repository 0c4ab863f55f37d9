import { type Alias, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { maxLevels } from "./tokens.ts";

/** Reports a problem at a place of the text: `offset` counts its characters. */
export type TellAt = (offset: number, problem: string) => void;

/** The pairs of each map by their key, and the target of each alias. */
export interface NodeIndex {
  readonly pairs: ReadonlyMap<YAMLMap, ReadonlyMap<string, Pair>>;
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** The size of a node, including what its aliases repeat. */
interface Extent {
  readonly nodes: number;
  readonly levels: number;
}

/** The target of an anchor. Its extent is undefined while it is read: an alias to it from inside would be a cycle. */
interface Anchored {
  readonly node: Node;
  extent: Extent | undefined;
}

/** Limits of what aliases repeat. */
export interface AliasBounds {
  /** @default 100 */
  readonly maxAliases?: number;
  /** @default 10000 */
  readonly maxRepeatedNodes?: number;
}

const nothing: Extent = { nodes: 0, levels: 0 };

/**
 * Records each map's keys and each alias's target, and reports keys that a map has twice and aliases that cannot be
 * followed. In one pass: the parser's own search for a repeated key takes minutes among some ten thousand.
 * @param root no deeper than `readTokens` lets through
 */
export function indexNodes(root: Node | null, bounds: AliasBounds, tell: TellAt): NodeIndex {
  const { maxAliases = 100, maxRepeatedNodes = 10_000 } = bounds;
  const pairs = new Map<YAMLMap, Map<string, Pair>>();
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Anchored>();
  let repeatedNodes = 0;
  walk(root, 1);
  return { pairs, targets };

  /** @param level the node's own, from 1 */
  function walk(node: unknown, level: number): Extent {
    if (isPair(node)) return sum([walk(node.key, level), walk(node.value, level)]);
    if (!isNode(node)) return nothing;
    if (isAlias(node)) return follow(node, level);
    const anchored: Anchored = { node, extent: undefined };
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) anchors.set(node.anchor, anchored);
    if (isMap(node)) noteKeys(node);
    const isCollection = isMap(node) || isSeq(node);
    const held = isCollection ? sum(node.items.map((item) => walk(item, level + 1))) : nothing;
    anchored.extent = { nodes: held.nodes + 1, levels: held.levels + (isCollection ? 1 : 0) };
    return anchored.extent;
  }

  function follow(alias: Alias, level: number): Extent {
    const { node, extent } = anchors.get(alias.source) ?? {};
    if (node === undefined || extent === undefined) return refuse(alias, "has an alias without an anchor before it");
    targets.set(alias, node);
    repeatedNodes += extent.nodes;
    if (targets.size > maxAliases || repeatedNodes > maxRepeatedNodes) return refuse(alias, "has too many aliases");
    if (level + extent.levels > maxLevels + 1) return refuse(alias, "is nested too deeply");
    return extent;
  }

  function noteKeys(map: YAMLMap): void {
    const byKey = new Map<string, Pair>();
    for (const pair of map.items) {
      if (!isScalar(pair.key)) continue;
      const key = String(pair.key.value);
      if (byKey.has(key)) refuse(pair.key, "has a key twice");
      else byKey.set(key, pair);
    }
    pairs.set(map, byKey);
  }

  function refuse(node: Node, problem: string): Extent {
    tell(node.range?.[0] ?? 0, problem);
    return nothing;
  }
}

function sum(extents: readonly Extent[]): Extent {
  let { nodes, levels } = nothing;
  for (const extent of extents) {
    nodes += extent.nodes;
    levels = Math.max(levels, extent.levels);
  }
  return { nodes, levels };
}
