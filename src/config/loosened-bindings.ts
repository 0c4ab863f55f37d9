import { type BoundTo, resolveOverride, type ToolOverrides } from "../tool/overrides.ts";

/** From the loosest, which the caller chooses, to the strictest, which the issuer of its token guarantees. */
const kinds = ["nothing", "session", "value", "claim"] as const;

type Kind = (typeof kinds)[number];

/** An argument that a reload binds less strictly than before, as the file explicitly says. */
export interface LoosenedBinding {
  /** The name or pattern of the override. */
  readonly override: string;
  readonly argument: string;
  readonly before: Kind;
  readonly now: Kind;
}

/** The bindings in overrides that are less strict than the previous bindings of the same tools. */
export function loosenedBindings(before: ToolOverrides, next: ToolOverrides): LoosenedBinding[] {
  return Object.entries(next).flatMap(([override, { bind = {} }]) => {
    const earlier = resolveOverride(before, override).bind;
    return Object.entries(bind).flatMap(([argument, to]) => {
      const change = { before: kindOf(earlier.get(argument)?.to), now: kindOf(to) };
      const isLooser = kinds.indexOf(change.now) < kinds.indexOf(change.before);
      return isLooser ? [{ override, argument, ...change }] : [];
    });
  });
}

function kindOf(to: BoundTo | null | undefined): Kind {
  if (to === null || to === undefined) return "nothing";
  return kinds.find((kind) => kind in to) ?? "nothing";
}
