import type { Agent } from "undici";
import { expect, it, vi } from "vitest";
import { createDispatcher } from "../../src/egress/dispatcher.ts";
import { createOutboundFetch } from "../../src/egress/fetch.ts";

vi.mock("../../src/egress/dispatcher.ts", async (original) => {
  const module = await original<typeof import("../../src/egress/dispatcher.ts")>();
  return { createDispatcher: vi.fn(module.createDispatcher) };
});

it("a slow answer ends with its call, not before: undici's own limits of 300 s are off", async () => {
  const fetch = createOutboundFetch();
  await expect(fetch("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "egress_blocked" });
  const [rules, options] = vi.mocked(createDispatcher).mock.calls[0]!;
  expect(options).toMatchObject({ idleTimeoutMs: 0 });
  const agent = createDispatcher(rules, options) as Agent;
  const held = Object.getOwnPropertySymbols(agent).find((symbol) => symbol.description === "options")!;
  expect((agent as unknown as Record<symbol, unknown>)[held]).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
});
