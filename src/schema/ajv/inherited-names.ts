/**
 * Runs synchronous work of a library that reads inherited properties as an object's own, as ajv's compiler does. During
 * the work, additions to Object.prototype are removed.
 */
export function withoutInheritedNames<Result>(work: () => Result): Result {
  const names = Object.keys(Object.prototype);
  if (names.length === 0) return work();
  const taken = names.map((name) => [name, Object.getOwnPropertyDescriptor(Object.prototype, name)!] as const);
  // A sealed property cannot be removed, and stays.
  for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  try {
    return work();
  } finally {
    for (const [name, descriptor] of taken) Reflect.defineProperty(Object.prototype, name, descriptor);
  }
}
