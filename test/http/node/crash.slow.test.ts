import { describe, expect, it } from "vitest";
import type { AnswerBody } from "../app-in-memory.ts";
import { startService } from "../running-service.ts";

const apart = [
  "rejection",
  "late rejection",
  "async function",
  "throwing timer",
  "throwing immediate",
  "throwing tick",
  "throwing microtask",
  "throwing null",
  "undefined",
  "revoked proxy",
];

const thrown = [
  "error",
  "arguments",
  "error with the arguments",
  "throwing getter",
  "revoked proxy",
  "cycle",
  "nothing",
  "null",
];

describe("a service whose tools fail", () => {
  it("answers, lives, and tells of it in the log where nobody waited for the failure (R7)", async () => {
    const service = await startService();
    for (const way of apart) {
      const answer = await service.call("fail_apart", { way });
      expect(await answer.json(), way).toMatchObject({ status: "ok", result: { started: way } });
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await (await service.call("echo", { a: 1 })).json()).toMatchObject({ status: "ok", result: { a: 1 } });

    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    const faults = service.entries.filter(({ level }) => level === "error");
    expect(faults.length).toBe(apart.length);
    for (const message of ["rejected apart", "rejected late", "thrown in a timer", "thrown in a microtask"]) {
      expect(service.log).toContain(message);
    }
  });

  it("answers tool_failed and logs one line, whatever is thrown", async () => {
    const service = await startService();
    for (const what of thrown) {
      const answer = await service.call("throw", { what });
      const body = (await answer.json()) as AnswerBody;
      expect({ what, status: answer.status, code: body.error?.code }).toEqual({
        what,
        status: 200,
        code: "tool_failed",
      });
      expect(answer.headers.get("toolhost-outcome")).toBe("tool_failed");
    }
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    const lines = service.entries.filter(({ msg }) => msg === "call");
    expect(lines.map(({ code }) => code)).toEqual(thrown.map(() => "tool_failed"));
  });

  it("leaves a call in flight alone when another tool fails beside it", async () => {
    const service = await startService();
    const held = service.call("hold", { ms: 150 });
    await service.call("fail_apart", { way: "throwing timer" });
    await service.call("throw", { what: "error" });
    expect(await (await held).json()).toMatchObject({ status: "ok", result: { waited: 150 } });
  });
});
