import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { requestText } from "./raw-socket.ts";
import { startService } from "../running-service.ts";

it("an answer that a slow reader has not taken yet is not cut off by SIGTERM", async () => {
  const service = await startService();
  const socket = connect(service.port, "127.0.0.1");
  socket.write(requestText("POST /tools/large/invoke", { body: JSON.stringify({ megabytes: 20 }) }));
  let received = 0;
  let signalled = false;
  for await (const chunk of socket) {
    received += (chunk as Buffer).length;
    if (!signalled) service.signal("SIGTERM");
    signalled = true;
    await sleep(1);
  }
  expect(received).toBeGreaterThan(20_000_000);
  expect(await service.exited).toBe(0);
});
