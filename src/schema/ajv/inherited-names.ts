/**
 * Runs synchronous work of a library that takes what every object inherits for an object's own, as ajv's compiler does.
 * Meanwhile what others have put on Object.prototype is not there.
 */
export function withoutInheritedNames<Result>(work: () => Result): Result {
  const names = Object.keys(Object.prototype);
  if (names.length === 0) return work();
  const taken = names.map((name) => [name, Object.getOwnPropertyDescriptor(Object.prototype, name)!] as const);
  // What cannot be taken away, as it is sealed, stays.
  for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  try {
    return work();
  } finally {
    for (const [name, descriptor] of taken) Reflect.defineProperty(Object.prototype, name, descriptor);
  }
}
