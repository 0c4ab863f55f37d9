import { expect, it } from "vitest";
import { checkLeaks } from "./leaks.ts";
import { checkLeavers } from "./leavers.ts";
import type { LoadRow } from "./load-report.ts";
import { checkRestarts } from "./restarts.ts";

// Small, and without the limits in milliseconds that a busy machine breaks. `node scripts/load-checks.mjs` runs them whole.

const broken = (rows: readonly LoadRow[]): readonly LoadRow[] => rows.filter(({ holds }) => !holds);

it("clients that leave abort every call of theirs, pipelined ones too", async () => {
  const [signals] = await checkLeavers({ clients: 100 });
  expect(broken([signals!])).toEqual([]);
});

it("a restart behind a balancer loses no call", { timeout: 60_000 }, async () => {
  expect(broken(await checkRestarts({ restarts: 2 }))).toEqual([]);
});

it("calls of every kind leave no memory behind", { timeout: 60_000 }, async () => {
  expect(broken(await checkLeaks({ calls: 8000, bytesPerCall: 100 }))).toEqual([]);
});
