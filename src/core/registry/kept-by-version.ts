import type { Registry } from "./registry.ts";

/**
 * Keeps what is made of the tools of a registry until they change. Beyond `maxKept` the oldest goes. A promise that
 * rejects is not kept.
 */
export function keepByVersion<Value>(registry: Registry, maxKept: number): (key: string, make: () => Value) => Value {
  const kept = new Map<string, Value>();
  let version = -1;
  return (key, make) => {
    if (version !== registry.version) kept.clear();
    version = registry.version;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(key, made);
    if (made instanceof Promise) {
      made.catch(() => {
        if (kept.get(key) === made) kept.delete(key);
      });
    }
    return made;
  };
}
