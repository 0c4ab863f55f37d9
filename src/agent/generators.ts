/** Runs the generator to its end and ignores what it yields. */
export async function runToEnd<Result>(generator: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

/**
 * Runs by itself and can be read meanwhile. A late reader gets every piece, and then the failure if there was one.
 * @param onLeave is called if a reader leaves before the end
 */
export function shareGenerator<Piece, Result>(
  generator: AsyncGenerator<Piece, Result>,
  onLeave: () => void,
): AsyncIterable<Piece> & { readonly result: Promise<Result> } {
  const pieces: Piece[] = [];
  let isOver = false;
  let notifyReader = (): void => undefined;
  let more = nextPiece();
  const result = run();
  // A reader of the pieces gets the failure there; this only prevents an unhandled rejection.
  result.catch(() => undefined);
  return { result, [Symbol.asyncIterator]: read };

  async function run(): Promise<Result> {
    try {
      for (;;) {
        const { done, value } = await generator.next();
        if (done === true) return value;
        pieces.push(value);
        notifyReader();
        more = nextPiece();
      }
    } finally {
      isOver = true;
      notifyReader();
    }
  }

  function nextPiece(): Promise<void> {
    return new Promise((resolve) => (notifyReader = resolve));
  }

  /** Written by hand: a generator that waits for a piece cannot be left before the piece arrives. */
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
        await result.catch(() => undefined); // A reader that left may start the next chat.
        return end;
      },
    };
  }
}
