import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startService } from "../http/running-service.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

test("a service outlives every file that is nested without end", async () => {
  const file = join(temporaryFolder(), "toolhost.yaml");
  writeFileSync(file, "limits: { queueMs: 900 }");
  const service = await startService({ TOOLHOST_CONFIG: file, LOG_LEVEL: "info" });
  const refusals = (): number => service.log.split("was not reloaded").length - 1;
  for (const times of [1000, 1500, 2000, 3000, 6000]) {
    for (const unit of ["? ", "- ", "a: a: a: \n? ", "{a: ", "[", "? - "]) {
      const before = refusals();
      writeFileSync(file, unit.repeat(times));
      service.signal("SIGHUP");
      await vi.waitFor(() => expect(refusals()).toBeGreaterThan(before), { timeout: 5000, interval: 20 });
    }
  }
  expect(service.log).toContain("toolhost.yaml:1: is nested too deeply");
  expect((await service.request("/livez")).status).toBe(200);
}, 60_000);
