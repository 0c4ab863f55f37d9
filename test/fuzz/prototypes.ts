const watched: readonly object[] = [Object.prototype, Array.prototype, Function.prototype];
const keysOf = (): string => JSON.stringify(watched.map((prototype) => Reflect.ownKeys(prototype).map(String)));
const before = keysOf();

/** Whether something was put on, or taken from, what every object inherits from. */
export function arePrototypesChanged(): boolean {
  return keysOf() !== before;
}
