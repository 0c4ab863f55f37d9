import { type BoundTo, resolveOverride, type ToolOverrides } from "../tool/overrides.ts";

/** From what the caller chooses to what the issuer of its token vouches for. */
const kinds = ["nothing", "session", "value", "claim"] as const;

type Kind = (typeof kinds)[number];

/** An argument that a reload binds less strictly than before, because the file says so. */
export interface LoosenedBinding {
  /** The name or pattern of the override that says so. */
  readonly override: string;
  readonly argument: string;
  readonly before: Kind;
  readonly now: Kind;
}

/** What overrides write out that is less strict than what was bound before for the same tools. */
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
