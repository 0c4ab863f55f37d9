import { expect, it } from "vitest";
import type { CallRecord, ToolLogEntry } from "../../src/core/observer.ts";
import { joinObservers } from "../../src/telemetry/join-observers.ts";

const record: CallRecord = { callId: "1", tool: "a", source: "s", caller: "c", code: "ok", ms: 1 };
const entry: ToolLogEntry = { tool: "a", level: "info", message: "m" };

it("calls each observer in order with what it listens to", () => {
  const heard: unknown[] = [];
  const joined = joinObservers(
    { onCall: (given) => heard.push(["first", given]) },
    { onCall: (given) => heard.push(["second", given]), onToolLog: (given) => heard.push(["second", given]) },
    {},
  );
  joined.onCall?.(record);
  joined.onToolLog?.(entry);
  joined.onToolWarning?.({ name: "a", message: "m" });
  expect(heard).toEqual([
    ["first", record],
    ["second", record],
    ["second", entry],
  ]);
});

it("adds nothing to an observer that is alone with an event", () => {
  const onCall = (): void => undefined;
  expect(joinObservers({ onCall }, {}).onCall).toBe(onCall);
});
