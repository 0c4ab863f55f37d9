/** Runs to the end, whatever is given on the way. */
export async function drain<Result>(generator: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

/**
 * Runs by itself, and can be read while it does; whoever comes late finds all of it.
 * @param onLeave is called where the reader leaves before the end
 */
export function readWhile<Piece, Result>(
  generator: AsyncGenerator<Piece, Result>,
  onLeave: () => void,
): AsyncIterable<Piece> & { readonly result: Promise<Result> } {
  let result!: Promise<Result>;
  let isLeft = false;
  const pieces = new ReadableStream<Piece>({
    start(controller) {
      result = run(controller);
    },
    cancel() {
      isLeft = true;
      onLeave();
    },
  });
  // Whoever reads the pieces alone learns of a failure there.
  result.catch(() => undefined);
  return { result, [Symbol.asyncIterator]: () => pieces[Symbol.asyncIterator]() };

  async function run(controller: ReadableStreamDefaultController<Piece>): Promise<Result> {
    try {
      for (;;) {
        const { done, value } = await generator.next();
        if (done !== true) {
          if (!isLeft) controller.enqueue(value);
          continue;
        }
        if (!isLeft) controller.close();
        return value;
      }
    } catch (error) {
      controller.error(error);
      throw error;
    }
  }
}

/** A signal that is aborted with the first of these; undefined where there is none. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
