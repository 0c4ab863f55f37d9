import { expect, it } from "vitest";
import { UpstreamError } from "../../src/errors/errors.ts";
import { describeThrown, fromThrown, isThrown } from "../../src/errors/thrown.ts";

it("describes an error by its type, message, stack and causes, and leaves other fields out", () => {
  const cause = Object.assign(new TypeError("inner"), { config: { headers: { authorization: "secret" } } });
  const described = describeThrown(new Error("outer", { cause }));
  expect(described).toMatchObject({ type: "Error", message: "outer", cause: { type: "TypeError", message: "inner" } });
  expect(JSON.stringify(described)).not.toContain("secret");
  expect(isThrown(structuredClone(described))).toBe(true);
  expect(describeThrown(fromThrown(described))).toEqual(described);
});

it("describes what is not an error, and what cannot be read", () => {
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no");
      },
    },
  );
  expect(describeThrown("text")).toEqual({ message: "text" });
  expect(describeThrown(undefined)).toEqual({ message: "undefined" });
  expect(describeThrown({ a: 1 })).toEqual({ message: "a value was thrown that is not an error" });
  expect(describeThrown(unreadable)).toEqual({ message: "a value was thrown that cannot be read" });
});

it("is bounded in text and in causes, cycles included", () => {
  const endless = new Error("x".repeat(100_000));
  endless.cause = endless;
  const json = JSON.stringify(describeThrown(endless));
  expect(json.length).toBeLessThan(6 * 11_000);
  expect(json.match(/"cause"/g)).toHaveLength(5);
});

it("has no stack of a service's answer, and one of a network fault", () => {
  expect(describeThrown(new UpstreamError("status 404", { status: 404 }))).toEqual({
    type: "UpstreamError",
    message: "status 404",
  });
  expect(describeThrown(new UpstreamError("no answer"))).toHaveProperty("stack");
});
