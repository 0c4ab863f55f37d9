/** The built-ins that the code around a tool calls, read at the time of the check. */
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
 * Remembers the built-ins of a thread: a tool that changes one in a call would silently spoil the results of later
 * callers. It detects accidental changes, and is not a defence against code that hides its changes.
 * @returns a function that checks whether all are unchanged, by means that such a change does not affect
 */
export function watchIntrinsics(): () => boolean {
  const before = readers.map((read) => read());
  const inherited = ownKeys(Object.prototype).length;
  const { length } = readers;
  return () => {
    try {
      for (let index = 0; index < length; index++) if (readers[index]!() !== before[index]) return false;
      // A property that every object inherits, such as `toJSON`, affects every result.
      return ownKeys(Object.prototype).length === inherited;
    } catch {
      return false; // A global was deleted, or is a getter that throws.
    }
  };
}
