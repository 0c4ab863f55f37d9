/** A turn that the provider does not answer: its servers are busy, or broken. Made by {@link refusal}. */
export interface Refusal {
  readonly kind: typeof refused;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A turn of which only the first part arrives. Made by {@link brokenOff} and {@link stalled}. */
export interface BrokenOff {
  readonly kind: typeof broken;
  readonly turn: unknown;
  readonly after: number | undefined;
  readonly saying: string | undefined;
  readonly isStalled: boolean;
}

/** A turn that a service streams in a way of its own. Made by {@link streamedAs}. */
export interface StreamedTurn {
  readonly kind: typeof streamed;
  readonly turn: unknown;
  readonly events: readonly object[];
}

interface RefusalOptions {
  readonly message?: string;
  /** Beside the content type; `{ "retry-after-ms": "1" }` makes the SDKs that try again do so at once. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

interface BreakOptions {
  /** How many events, or lines, arrive before the end. @default half of them */
  readonly after?: number;
  /** What a stream then says, as the provider's own event of an error. @default nothing: the connection breaks */
  readonly saying?: string;
}

// No turn that a provider gives can be taken for one of these.
const refused = Symbol("refused");
const broken = Symbol("broken off");
const streamed = Symbol("streamed");

/** In the place of a turn: the next good request is refused with this status, in the provider's own shape. */
export function refusal(status: number, { message = "Try again later.", headers = {} }: RefusalOptions = {}): Refusal {
  return { kind: refused, status, message, headers };
}

/** In the place of a turn: it breaks off in the middle, streamed or not. The provider does not count it as said. */
export function brokenOff(turn: unknown, { after, saying }: BreakOptions = {}): BrokenOff {
  return { kind: broken, turn, after, saying, isStalled: false };
}

/** In the place of a turn: after its first part nothing comes any more, until the client leaves. */
export function stalled(turn: unknown, { after }: Pick<BreakOptions, "after"> = {}): BrokenOff {
  return { kind: broken, turn, after, saying: undefined, isStalled: true };
}

/** In the place of a turn: where a stream is asked for, it comes as these events, and not as the provider would cut it. */
export function streamedAs(turn: unknown, events: readonly object[]): StreamedTurn {
  return { kind: streamed, turn, events };
}

export const isStreamedTurn = (turn: unknown): turn is StreamedTurn =>
  (turn as Partial<StreamedTurn> | null)?.kind === streamed;
export const isRefusal = (turn: unknown): turn is Refusal => (turn as Partial<Refusal> | null)?.kind === refused;
export const isBrokenOff = (turn: unknown): turn is BrokenOff => (turn as Partial<BrokenOff> | null)?.kind === broken;
