import fc from "fast-check";

class Point {
  readonly x = 1;
  get y(): number {
    return 2;
  }
}

/** What a tool may return, well meant: values as JavaScript has them, JSON among them. */
export const plainResults: fc.Arbitrary<unknown> = fc.anything({
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
} as object);

const fail = (): never => {
  throw new Error("a trap of the tool");
};

/** Values that act when they are looked at. */
const traps: readonly Making[] = [
  () => new Proxy({}, { get: fail }),
  () => new Proxy({}, { ownKeys: fail }),
  () => new Proxy({}, { getPrototypeOf: fail }),
  () => new Proxy({}, { has: fail }),
  () => new Proxy({ a: 1 }, { getOwnPropertyDescriptor: fail }),
  () => new Proxy([], { get: (_, key) => (key === "length" ? 3 : 1) }),
  () => new Proxy({}, { get: (_, key) => key }),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => ({
    get a() {
      return fail();
    },
  }),
  () => ({ toJSON: fail }),
  () => ({ toJSON: () => undefined }),
  () => ({ toJSON: () => ({ toJSON: () => 1 }) }),
  () => ({
    get toJSON() {
      return fail();
    },
  }),
  () => ({
    toJSON() {
      return this;
    },
  }),
  () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = [cycle];
    return cycle;
  },
  () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = { deep };
    return deep;
  },
  () => Object.defineProperty({}, "__proto__", { value: 1, enumerable: true }),
  () => new Point(),
  () => new Date(NaN),
  () => new Error("an error of the tool"),
  () => new Response("text"),
  () => new ReadableStream(),
  () => Promise.resolve({ a: 1 }),
  () => new WeakMap(),
  () => Symbol("s"),
  () => () => 1,
  () => function* () {},
  () => /a/,
  () => new URL("http://a.example/"),
  () => new AbortController().signal,
  () => Object.create(null) as unknown,
  () => Object.create({ inherited: 1 }) as unknown,
  () => Object.assign([1], { extra: 2 }),
  () => ({ [Symbol.toStringTag]: "Map" }),
  () => ({ [Symbol.toPrimitive]: fail, toString: fail, valueOf: fail }),
  () => "\ud800",
  () => ({ then: 1 }),
];

/** Makes a value when it is called: fast-check looks at what it makes, and these act when they are looked at. */
export type Making = () => unknown;

/** What a tool may return, meant as it may be. */
export const hostileResults: fc.Arbitrary<Making> = fc.letrec<{ making: Making }>((tie) => ({
  making: fc.oneof(
    { maxDepth: 2, depthIdentifier: "hostile" },
    fc.constantFrom(...traps),
    fc
      .dictionary(fc.constantFrom("a", "b", "status", "content", "toJSON", "then"), tie("making"), { maxKeys: 3 })
      .map((members) => () => recordOf(members)),
    fc.array(tie("making"), { maxLength: 3 }).map((items) => () => items.map((make) => make())),
  ),
})).making;

const errorNames = fc.constantFrom("ToolError", "UpstreamError", "CallError", "AbortError", "TimeoutError", "Error");
const errorFields = fc.constantFrom(
  ..."message retryable details status retryAfterMs ran code cause stack issues extras".split(" "),
);
const scalars = fc.constantFrom<unknown>(503, -1, NaN, "", "no", true, null).map(
  (value): Making =>
    () =>
      value,
);

/** What a tool may throw: errors that are ours by their name, and anything else. */
export const thrownValues: fc.Arbitrary<Making> = fc.oneof(
  hostileResults,
  plainResults.map((value) => () => value),
  fc
    .tuple(errorNames, fc.dictionary(errorFields, fc.oneof(scalars, hostileResults), { maxKeys: 5 }), fc.boolean())
    .map(([name, members, isError]) => () => {
      const fields = Object.getOwnPropertyDescriptors(recordOf(members));
      const named = { ...fields, name: { value: name, enumerable: true } };
      const error = new Error("thrown");
      void error.stack; // Made now: its maker would look at the fields.
      return Object.defineProperties(isError ? error : {}, named);
    }),
);

function recordOf(members: Readonly<Record<string, Making>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([key, make]) => [key, make()]));
}
