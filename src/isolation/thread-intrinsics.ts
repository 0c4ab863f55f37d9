/** What the code around a tool calls, as it is found when it is asked for. */
const readers: readonly (() => unknown)[] = [
  () => Object.keys,
  () => Object.getPrototypeOf,
  () => Object.defineProperty,
  () => Object.prototype.toString,
  () => Array.isArray,
  () => Array.prototype.push,
  () => Array.prototype.pop,
  () => Array.prototype.at,
  () => Array.prototype.map,
  () => Array.prototype.join,
  () => Array.prototype.slice,
  () => Array.prototype[Symbol.iterator],
  () => String,
  () => String.prototype.charCodeAt,
  () => String.prototype.slice,
  () => String.prototype.split,
  () => Number.isFinite,
  () => Number.isInteger,
  () => JSON.stringify,
  () => Buffer.byteLength,
  () => ArrayBuffer.isView,
  () => Set.prototype.has,
  () => Function.prototype.call,
];
const { ownKeys } = Reflect;

/**
 * Remembers what a thread is built on: a tool that changes it in one call would spoil, in silence, what later callers
 * get. It finds what is changed by accident or in passing, and is no defence against code that hides what it did.
 * @returns whether all is still as it was, by means that a change does not reach
 */
export function watchIntrinsics(): () => boolean {
  const before = readers.map((read) => read());
  const inherited = ownKeys(Object.prototype).length;
  const { length } = readers;
  return () => {
    try {
      for (let index = 0; index < length; index++) if (readers[index]!() !== before[index]) return false;
      // What every object inherits, such as a `toJSON`, stands in every result.
      return ownKeys(Object.prototype).length === inherited;
    } catch {
      return false; // A global is gone, or is a getter that throws.
    }
  };
}
