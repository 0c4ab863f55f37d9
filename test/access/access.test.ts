import { afterEach, describe, expect, it, vi } from "vitest";
import { createAccess } from "../../src/access/access.ts";
import type { AuthOptions } from "../../src/access/authenticate.ts";
import { type KeyOptions, sha256 } from "../../src/access/keys.ts";
import type { Caller } from "../../src/core/caller.ts";
import { startIssuer } from "./token-issuer.ts";

afterEach(() => void vi.useRealTimers());

const key = (name: string, more: Partial<KeyOptions> = {}): KeyOptions => ({ name, sha256: sha256(name), ...more });
const limited = (callsPerMinute: number): { auth: AuthOptions } => ({ auth: { keys: [key("a", { callsPerMinute })] } });

/** How many calls a key has left now. */
function countCalls(caller: Caller): number {
  let calls = 0;
  while (caller.meter?.take() === 0) calls++;
  return calls;
}

describe("who may call, configured again", () => {
  const found = (access: ReturnType<typeof createAccess>, name: string): Caller =>
    access.authenticate(`Bearer ${name}`) as Caller;

  it("leaves a key what it has used of its allowance", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const access = createAccess(limited(5));
    for (let call = 0; call < 3; call++) found(access, "a").meter?.take();
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(2);
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(0);
    vi.advanceTimersByTime(12_000);
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(1);
  });

  it.each([
    [10, 4, 5, 1],
    [10, 4, 20, 16],
    [10, 4, 2, 0],
    [10, 0, 2, 2],
  ])("counts what was used of %i calls, %i, off the next rate, %i: %i are left", (before, used, next, left) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const access = createAccess(limited(before));
    for (let call = 0; call < used; call++) found(access, "a").meter?.take();
    access.configure(limited(next));
    expect(countCalls(found(access, "a"))).toBe(left);
  });

  it.each([
    { uses: 10, rates: [10, 1, 10], left: 0 },
    { uses: 4, rates: [10, 2, 10], left: 6 },
    { uses: 9, rates: [10, 5, 2, 1, 3, 10], left: 1 },
    { uses: 10, rates: [10, 1, 20], left: 10 },
  ])("gives no call back because the rate was lower in between: $uses used, $rates", ({ uses, rates, left }) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const access = createAccess(limited(rates[0]!));
    for (let call = 0; call < uses; call++) found(access, "a").meter?.take();
    for (const rate of rates.slice(1)) access.configure(limited(rate));
    expect(countCalls(found(access, "a"))).toBe(left);
  });

  it.each([0, 6000, 12_000, 30_000, 54_000, 59_000, 60_000, 90_000])(
    "after %i ms at a lower rate it has as many as if the rate had stayed",
    (elapsedMs) => {
      vi.useFakeTimers({ toFake: ["performance"] });
      const access = createAccess(limited(10));
      for (let call = 0; call < 10; call++) found(access, "a").meter?.take();
      access.configure(limited(2));
      vi.advanceTimersByTime(elapsedMs);
      access.configure(limited(10));
      expect(countCalls(found(access, "a"))).toBe(Math.min(10, Math.floor(elapsedMs / 6000)));
    },
  );

  it("waits no longer at the lower rate than for one of its calls", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const access = createAccess(limited(100));
    for (let call = 0; call < 100; call++) found(access, "a").meter?.take();
    access.configure(limited(2));
    expect(found(access, "a").meter?.take()).toBe(30_000);
    vi.advanceTimersByTime(30_000);
    expect(countCalls(found(access, "a"))).toBe(1);
    access.configure(limited(100));
    // 50 are given back, and one was used.
    expect(countCalls(found(access, "a"))).toBe(49);
  });

  it.each<[string, { auth: AuthOptions }]>([
    ["it was not configured", { auth: { keys: [key("b")] } }],
    ["it had no limit", { auth: { keys: [key("a")] } }],
  ])("gives a key no call back because %s in between", (_case, between) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const access = createAccess(limited(5));
    expect(countCalls(found(access, "a"))).toBe(5);
    access.configure(between);
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(0);
    access.configure(between);
    vi.advanceTimersByTime(12_000);
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(1);
    access.configure(between);
    vi.advanceTimersByTime(60_000);
    access.configure(limited(5));
    expect(countCalls(found(access, "a"))).toBe(5);
  });

  it("knows the keys that are configured now, and no others", () => {
    const access = createAccess({ auth: { keys: [key("a"), key("b")] } });
    access.configure({ auth: { keys: [key("b", { tools: [] }), key("c")] } });
    expect(() => access.authenticate("Bearer a")).toThrow("The key is not valid.");
    expect(found(access, "b").rights).toBeDefined();
    expect(found(access, "c").name).toBe("c");
  });

  it("stays as it was where the next is malformed", () => {
    const access = createAccess({ auth: { keys: [key("a", { callsPerMinute: 2 })] } });
    found(access, "a").meter?.take();
    expect(() =>
      access.configure({ auth: { keys: [key("a", { callsPerMinute: 2 }), key("b", { callsPerMinute: 0 })] } }),
    ).toThrow("callsPerMinute");
    expect(countCalls(found(access, "a"))).toBe(1);
    expect(() => access.authenticate("Bearer b")).toThrow("The key is not valid.");
  });

  it("asks the issuer for its keys no second time, unless the settings of tokens change", async () => {
    const issuer = await startIssuer();
    const token = await issuer.token({ tools: "get_*" });
    const access = createAccess({ auth: { jwt: issuer.options } });
    await access.authenticate(`Bearer ${token}`);
    access.configure({ auth: { jwt: { ...issuer.options, fetch: globalThis.fetch }, keys: [key("a")] } });
    // At once: it is known already.
    expect(access.authenticate(`Bearer ${token}`)).not.toBeInstanceOf(Promise);
    expect(issuer.asked).toBe(1);
    access.configure({ auth: { jwt: { ...issuer.options, toolsClaim: "tools" } } });
    expect((await access.authenticate(`Bearer ${token}`)).rights).toBeDefined();
    access.configure({ auth: { jwt: { ...issuer.options, audience: "others" } } });
    await expect(access.authenticate(`Bearer ${token}`)).rejects.toThrow("The key or token is not valid.");
  });
});

describe("a caller", () => {
  it.each<[string, Partial<KeyOptions>, boolean]>([
    ["names neither tools nor readOnly", {}, true],
    ["names tools", { tools: ["*"] }, false],
    ["names readOnly", { readOnly: false }, false],
    ["is made one", { tools: [], operator: true }, true],
    ["is made none", { operator: false }, false],
  ])("with a key that %s is an operator: %#", (_name, more, isOperator) => {
    const access = createAccess({ auth: { keys: [key("a", more)] } });
    expect(access.authenticate("Bearer a")).toMatchObject({ name: "a", isOperator });
  });

  it("with a key in plain has no name but the start of its hash, and is an operator", () => {
    const caller = createAccess({ apiKeys: ["plain"] }).authenticate("Bearer plain");
    expect(caller).toEqual({
      id: sha256("plain"),
      name: `key:${sha256("plain").slice(0, 8)}`,
      isOperator: true,
    });
  });

  it.each([
    ["true", true, true],
    ["a text", "true", false],
    ["1", 1, false],
    ["absent", undefined, false],
  ])("with a token whose operatorClaim is %s is an operator: %#", async (_name, admin, isOperator) => {
    const issuer = await startIssuer();
    const access = createAccess({ auth: { jwt: { ...issuer.options, operatorClaim: "admin" } } });
    const caller = await access.authenticate(`Bearer ${await issuer.token({ admin })}`);
    expect(caller.isOperator === true).toBe(isOperator);
    expect(caller.id).toBe(`${issuer.options.issuer} agent-7`);
  });
});
