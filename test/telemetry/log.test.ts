import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CallRecord } from "../../src/core/observer.ts";
import { createServiceLog, type ServiceLog } from "../../src/telemetry/log.ts";
import { entryLine } from "../../src/telemetry/logger.ts";

function logToFile(level: string): { log: ServiceLog; entries: () => Array<Record<string, unknown>> } {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-log-"));
  const path = join(folder, "log");
  const fd = openSync(path, "a");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  });
  const log = createServiceLog(level, fd);
  return {
    log,
    entries() {
      log.end();
      const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const record: CallRecord = { callId: "a-1", tool: "add", source: "local", caller: "agent-a", code: "ok", ms: 1.23456 };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("the log", () => {
  test("has a line for each call, with the request and the trace where there are any", () => {
    const { log, entries } = logToFile("info");
    log.call(record);
    log.call({ ...record, caller: 'a "b" \u2028', requestId: '"\\x', traceId: "0af7651916cd43dd8448eb211c80319c" });
    const { source: _, ...told } = record;
    expect(entries()).toEqual([
      { level: "info", time, ...told, ms: 1.235, msg: "call" },
      {
        level: "info",
        time,
        ...told,
        ms: 1.235,
        msg: "call",
        caller: 'a "b" \u2028',
        requestId: '"\\x',
        traceId: "0af7651916cd43dd8448eb211c80319c",
      },
    ]);
  });

  test("has the same of a call that failed inside, and what was thrown", () => {
    const { log, entries } = logToFile("warn");
    log.call(record);
    log.call({ ...record, code: "tool_failed", requestId: "r", cause: new TypeError("no", { cause: "why" }) });
    expect(entries()).toEqual([
      {
        level: "warn",
        time,
        callId: "a-1",
        tool: "add",
        caller: "agent-a",
        code: "tool_failed",
        ms: 1.235,
        requestId: "r",
        msg: "call",
        err: {
          type: "TypeError",
          message: "no",
          stack: expect.any(String),
          cause: { message: "why" },
        },
      },
    ]);
  });

  test("has what tools say, and whose call it was", () => {
    const { log, entries } = logToFile("debug");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const about = { callId: "a-1", tool: "add", caller: "agent-a", requestId: "r" };
    log.tool({ ...about, level: "debug", message: "hello", fields: { n: 1 } });
    log.tool({ tool: "add", level: "error", message: "outside" });
    log.tool({ ...about, level: "warn", message: "bad", fields: cycle as never });
    log.tool({ ...about, level: "loud" as never, message: 7 as never, fields: { n: 1n } as never });
    expect(entries()).toEqual([
      { level: "debug", time, ...about, fields: { n: 1 }, msg: "hello" },
      { level: "error", time, tool: "add", msg: "outside" },
      { level: "warn", time, ...about, fields: "(not JSON)", msg: "bad" },
      { level: "info", time, ...about, fields: "(not JSON)", msg: "7" },
    ]);
  });

  test.each([
    ["trace", 6],
    ["debug", 5],
    ["info", 4],
    ["warn", 3],
    ["error", 2],
    ["fatal", 1],
    ["silent", 0],
  ])("writes at %s what is of that level or above", (level, count) => {
    const { log, entries } = logToFile(level);
    for (const name of ["trace", "debug", "info", "warn", "error", "fatal"] as const) log.log[name](`at ${name}`);
    expect(entries()).toHaveLength(count);
  });

  test("can write an entry whatever the level", () => {
    const { log, entries } = logToFile("silent");
    log.always(entryLine("info", { url: "http://x" }, "listening"));
    expect(entries()).toEqual([{ level: "info", time, url: "http://x", msg: "listening" }]);
  });

  test.each([[undefined], [null], ["text"], [Symbol("s")], [() => 1], [{ message: 5 }]])(
    "describes %s, which is not an error",
    (thrown) => {
      const { log, entries } = logToFile("warn");
      log.log.error({ err: thrown }, "fault");
      expect(entries()[0]).toMatchObject({ err: { message: expect.any(String) } });
    },
  );
});
