import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { listenWith } from "../listening-app.ts";
import { requestText } from "./raw-socket.ts";

it("the call of a client whose process is killed is cancelled", async () => {
  const seen = { started: 0, aborted: 0 };
  const { port } = await listenWith([
    {
      execute: (_args, { signal }) => {
        seen.started++;
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            seen.aborted++;
            resolve(null);
          });
        });
      },
    },
  ]);
  const call = requestText("POST /tools/tool/invoke", { body: "{}" });
  const code = `require("net").connect(${port}, "127.0.0.1").write(${JSON.stringify(call)})`;
  const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitFor(() => expect(seen.started).toBe(1), { timeout: 20_000 });
  child.kill("SIGKILL");
  await once(child, "exit");
  await vi.waitFor(() => expect(seen.aborted).toBe(1), { timeout: 20_000, interval: 5 });
});
