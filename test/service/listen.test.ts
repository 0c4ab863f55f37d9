import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../src/service/listen.ts";

it("a Unix socket in a folder that does not exist is reported as that", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const unixSocket = join(folder, "missing", "service.sock");
  const listening = listen(createServer(), { unixSocket, host: "127.0.0.1", port: 0 });
  await expect(listening).rejects.toThrow(`cannot listen at ${unixSocket}: its folder does not exist`);
});
