/**
 * Waits for work, but no longer than the limit. Work that takes longer goes on.
 * @param onLate what is returned then, or thrown
 */
export async function inTime<T, L>(work: Promise<T>, limitMs: number, onLate: () => L): Promise<T | L> {
  if (limitMs === Infinity) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    return await Promise.race([work, late.then(onLate)]);
  } finally {
    clearTimeout(timer);
  }
}
