import * as crypto from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAuthenticate } from "../../src/access/authenticate.ts";
import { createKeys, sha256 } from "../../src/access/keys.ts";
import type { Caller } from "../../src/core/caller.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { toolOf } from "../core/one-tool.ts";

vi.mock("node:crypto", async (importOriginal) => {
  const original = await importOriginal<typeof crypto>();
  return { ...original, timingSafeEqual: vi.fn(original.timingSafeEqual), hash: vi.fn(original.hash) };
});
afterEach(() => void vi.clearAllMocks());

const keys = [
  { name: "all", sha256: sha256("all-key") },
  { name: "readers", sha256: sha256("read-key").toUpperCase(), tools: ["get_*"], readOnly: true, callsPerMinute: 2 },
];

describe("a key by its hash", () => {
  it("opens the service with the rights and the allowance that stand beside it", () => {
    const authenticate = createAuthenticate({ auth: { keys } });
    const reader = authenticate("Bearer read-key") as Caller;
    expect(reader.id).toBe(sha256("read-key"));
    const registry = createRegistry({
      tools: [
        toolOf({ name: "get_it", annotations: { readOnly: true } }),
        toolOf({ name: "get_all" }),
        toolOf({ name: "other", annotations: { readOnly: true } }),
      ],
    });
    const allowed = registry.list().filter((entry) => reader.rights?.allows(entry));
    expect(allowed.map((entry) => entry.tool.name)).toEqual(["get_it"]);
    expect([reader.meter?.take(), reader.meter?.take()]).toEqual([0, 0]);
    expect(reader.meter?.take()).toBeGreaterThan(0);
    expect(authenticate("Bearer all-key")).toEqual({ id: sha256("all-key"), name: "all", isOperator: true });
    expect(reader).toMatchObject({ name: "readers", isOperator: false });
  });

  it("is one caller with one allowance, however it comes", () => {
    const authenticate = createAuthenticate({ auth: { keys } });
    expect(authenticate("Bearer read-key")).toBe(authenticate("bearer   read-key"));
  });

  it("stands beside keys in plain, and no longer opens the service where it was taken out", () => {
    const authenticate = createAuthenticate({ apiKeys: ["plain"], auth: { keys: keys.slice(0, 1) } });
    expect(authenticate("Bearer plain")).toMatchObject({ id: sha256("plain") });
    expect(authenticate("Bearer all-key")).toMatchObject({ id: sha256("all-key") });
    expect(() => authenticate("Bearer read-key")).toThrow("The key is not valid.");
  });

  it.each([
    ["undefined", undefined as unknown as string],
    ["empty", ""],
  ])("is refused at the start if it is %s", (_title, key) => {
    expect(() => createAuthenticate({ apiKeys: ["plain", key] })).toThrow(
      "apiKeys must contain only non-empty strings; check that the environment variable of the key is set",
    );
  });

  it.each([
    ["its hash", `Bearer ${keys[0]!.sha256}`, "The key is not valid."],
    ["nothing", undefined, "Send a key as Authorization: Bearer <key>."],
    ["the empty key", "Bearer ", "Send a key as Authorization: Bearer <key>."],
  ])("is not opened by %s", (_title, authorization, message) => {
    const authenticate = createAuthenticate({ auth: { keys: [...keys, { name: "none", sha256: sha256("") }] } });
    expect(() => authenticate(authorization)).toThrow(message);
  });

  it.each([
    ["is malformed", [{ name: "x", sha256: "abc" }], 'the key "x": sha256 must be 64 hexadecimal digits'],
    ["is there twice", [keys[0]!, { ...keys[0]!, name: "x" }], 'the key "x" is given twice'],
    ["is a plain one too", [{ name: "x", sha256: sha256("plain") }], 'the key "x" is given twice'],
    ["has no allowance", [{ ...keys[0]!, name: "x", callsPerMinute: 0 }], "the key x: callsPerMinute must be a whole"],
  ])("is refused where it %s, and not shown", (_title, wrong, message) => {
    expect(() => createAuthenticate({ apiKeys: ["plain"], auth: { keys: wrong } })).toThrow(message);
    expect(() => createAuthenticate({ apiKeys: ["plain"], auth: { keys: wrong } })).not.toThrow(/[0-9a-f]{16}/);
  });
});

describe("what an answer's time tells of the keys (A2)", () => {
  const apiKeys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
  const authenticate = createAuthenticate({ apiKeys });

  it.each([
    ["the first", "Bearer key-0"],
    ["the last", "Bearer key-19"],
    ["none of them", "Bearer key-x"],
    ["part of one", "Bearer k"],
    ["8 KB", `Bearer ${"k".repeat(8192)}`],
    ["no key", undefined],
    ["another scheme", "Basic a2V5LTA6"],
  ])("is nothing: each is hashed and compared with all of them, be it %s", async (_title, authorization) => {
    // Not let in, it is compared all the same.
    const attempt = async () => authenticate(authorization);
    await attempt().catch(() => undefined);
    expect(vi.mocked(crypto.hash)).toHaveBeenCalledTimes(1);
    expect(vi.mocked(crypto.timingSafeEqual)).toHaveBeenCalledTimes(apiKeys.length);
    for (const [a, b] of vi.mocked(crypto.timingSafeEqual).mock.calls) {
      expect([a.byteLength, b.byteLength]).toEqual([64, 64]);
    }
  });

  it("does not carry one request's key over to the next", () => {
    const find = createKeys(["a", "b"], []);
    expect(find(sha256("a"))?.id).toBe(sha256("a"));
    expect(find(sha256("c"))).toBeUndefined();
    expect(find(sha256("b"))?.id).toBe(sha256("b"));
  });
});
