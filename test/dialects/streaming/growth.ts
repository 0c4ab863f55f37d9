import type { Accumulator } from "../../../src/dialects/streaming/accumulator.ts";

/** The nth chunk of a stream. */
export type ChunkAt = (place: number) => unknown;

export interface Stream {
  /** What the stream begins with, and ends with. */
  readonly first?: readonly unknown[];
  readonly last: readonly unknown[];
  readonly chunkAt: ChunkAt;
}

const few = 10_000;
const many = 10 * few;
/** Below it, what a machine does beside the tests counts more than the accumulator. */
const leastMs = 5;
const attempts = 4;
const clearlyLinear = 20;

/**
 * How many times as long as ten thousand chunks a hundred thousand take: about 10 in linear time, about 100 in quadratic.
 */
export function growthOf(create: () => Accumulator, stream: Stream): number {
  let least = Infinity;
  // What else the machine does can only add to a growth: the least of a few is the accumulator's own.
  for (let attempt = 0; attempt < attempts && least > clearlyLinear; attempt++) {
    const fewMs = timeMs(create(), stream, few);
    least = Math.min(least, timeMs(create(), stream, many) / Math.max(leastMs, fewMs));
  }
  return least;
}

function timeMs(accumulator: Accumulator, { first = [], last, chunkAt }: Stream, count: number): number {
  const chunks = [...first, ...Array.from({ length: count }, (_, place) => chunkAt(place)), ...last];
  const start = performance.now();
  for (const chunk of chunks) accumulator.add(chunk);
  accumulator.end();
  return performance.now() - start;
}
