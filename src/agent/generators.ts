/** Runs to the end, whatever is given on the way. */
export async function runToEnd<Result>(generator: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

/**
 * Runs by itself, and can be read while it does; whoever comes late finds all of it, and what it failed with behind that.
 * @param onLeave is called where a reader leaves before the end
 */
export function shareGenerator<Piece, Result>(
  generator: AsyncGenerator<Piece, Result>,
  onLeave: () => void,
): AsyncIterable<Piece> & { readonly result: Promise<Result> } {
  const pieces: Piece[] = [];
  let isOver = false;
  let tellMore = (): void => undefined;
  let more = nextPiece();
  const result = run();
  // Whoever reads the pieces alone learns of a failure there.
  result.catch(() => undefined);
  return { result, [Symbol.asyncIterator]: read };

  async function run(): Promise<Result> {
    try {
      for (;;) {
        const { done, value } = await generator.next();
        if (done === true) return value;
        pieces.push(value);
        tellMore();
        more = nextPiece();
      }
    } finally {
      isOver = true;
      tellMore();
    }
  }

  function nextPiece(): Promise<void> {
    return new Promise((resolve) => (tellMore = resolve));
  }

  /** By hand: a generator that waits for a piece cannot be left before that has come. */
  function read(): AsyncIterator<Piece, undefined> {
    const end = { done: true, value: undefined } as const;
    let at = 0;
    let isLeft = false;
    return {
      async next() {
        while (at === pieces.length && !isOver && !isLeft) await more;
        if (isLeft) return end;
        if (at < pieces.length) return { done: false, value: pieces[at++]! };
        await result;
        return end;
      },
      async return() {
        isLeft = true;
        if (!isOver) onLeave();
        await result.catch(() => undefined); // Whoever has left may chat again.
        return end;
      },
    };
  }
}
