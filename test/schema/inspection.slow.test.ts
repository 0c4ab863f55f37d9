import { expect, it } from "vitest";
import { createCheck } from "../../src/schema/check.ts";
import { cpuMs } from "../cpu-time.ts";

it("a schema is compiled when the first value comes, once for all that are equal", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1500 }, (_, i) => [`k${i}`, { type: "string", minLength: i % 7 }]),
  );
  const timed = (work: () => unknown) => {
    const start = cpuMs();
    work();
    return cpuMs() - start;
  };
  const made = () => createCheck({ type: "object", properties });
  timed(made); // The draft's own schema is compiled at the first schema.
  const check = made();
  const [first, second] = [timed(() => check.accepts({})), timed(() => made().accepts({}))];
  const registering = timed(() => createCheck({ type: "object", properties: { ...properties, more: {} } }));
  expect(registering).toBeLessThan(first / 2);
  expect(second).toBeLessThan(first / 2);
  expect(made()).toBe(check);
});
