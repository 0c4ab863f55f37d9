import { expect, test } from "vitest";
import { createRegistry } from "../../src/core/registry/registry.ts";
import type { SourceStatus } from "../../src/core/source.ts";
import { createSourceLog } from "../../src/service/source-log.ts";
import type { Log } from "../../src/telemetry/logger.ts";
import { toolOf } from "../core/one-tool.ts";

const ready: SourceStatus = {
  name: "shop",
  kind: "scripted",
  state: "ready",
  isRead: true,
  tools: 1,
  skipped: [],
  warnings: [],
};
const away: SourceStatus = { ...ready, state: "failed", reason: "the server does not answer", isRead: false, tools: 0 };
const unknownTool = '"overrides" contains an entry for a tool that does not exist';

function startLog() {
  const entries: object[] = [];
  const write =
    (level: string) =>
    (fields: object, msg: string): void =>
      void entries.push({ level, ...fields, msg });
  const log = { info: write("info"), warn: write("warn") } as unknown as Log;
  const registry = createRegistry({ overrides: { shop_buy: { timeoutMs: 1 }, misspelt: { timeoutMs: 1 } } });
  const taken = (): object[] => entries.splice(0);
  return { registry, sourceLog: createSourceLog(log, registry), taken };
}

test("a source that cannot be read is logged as a source, and the tools that it skips as tools", () => {
  const { sourceLog, taken } = startLog();
  const before: SourceStatus = { ...away, tools: 1, skipped: [{ name: "bad", reason: "it has no name" }] };
  sourceLog.loaded([before]);
  expect(taken()).toMatchObject([
    { level: "warn", msg: "source not ready", source: "shop", state: "failed", reason: away.reason, tools: 1 },
    { level: "warn", msg: "tool skipped", source: "shop", tool: "bad", reason: "it has no name" },
  ]);
  sourceLog.updated(before, [before]);
  expect(taken()).toEqual([]);
});

test("a source that changes is logged again without the skipped tools and warnings that were logged", () => {
  const { sourceLog, taken } = startLog();
  const ofSource = (): object[] => taken().filter((entry) => "source" in entry);
  const skipped = [1, 2, 3].map((number) => ({ name: `bad${number}`, reason: "it has no description" }));
  const warnings = [{ name: "good", message: "the field timeout is unknown" }];
  const first: SourceStatus = { ...ready, skipped: skipped.slice(0, 2), warnings };
  const second: SourceStatus = { ...ready, tools: 2, skipped: [...skipped, ...skipped], warnings };
  sourceLog.updated(first, [first]);
  expect(ofSource()).toHaveLength(4);
  sourceLog.updated(second, [second]);
  expect(ofSource()).toEqual([
    { level: "info", msg: "tools loaded", source: "shop", state: "ready", tools: 2 },
    { level: "warn", msg: "tool skipped", source: "shop", tool: "bad3", reason: "it has no description" },
  ]);
  // A problem that was corrected, or a source that had gone, is logged when it is there again.
  sourceLog.updated(ready, [ready]);
  sourceLog.updated(first, [first]);
  expect(ofSource()).toHaveLength(5);
  sourceLog.updated({ ...ready, name: "other" }, [{ ...ready, name: "other" }]);
  sourceLog.updated(first, [first]);
  expect(ofSource()).toHaveLength(5);
});

test("overrides are compared with the tools once every source was read", () => {
  const { sourceLog, registry, taken } = startLog();
  const far: SourceStatus = { ...away, name: "far", state: "connecting", reason: undefined };
  sourceLog.loaded([away, far]);
  registry.replace("shop", [toolOf({ name: "shop_buy" })]);
  sourceLog.updated(ready, [ready, far]);
  sourceLog.updated(far, [ready, { ...far, state: "failed", reason: "the server does not answer" }]);
  expect(taken().filter((entry) => "tool" in entry)).toEqual([]);
  const both = [ready, { ...ready, name: "far" }];
  sourceLog.updated(both[1]!, both);
  sourceLog.updated(ready, both);
  expect(taken().filter((entry) => "tool" in entry)).toEqual([{ level: "warn", tool: "misspelt", msg: unknownTool }]);
});
