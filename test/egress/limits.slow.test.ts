import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { failureOf, fetchFor, startServer } from "./servers.ts";

it("an answer that would unpack to more than the limit is let go of while it does", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  const server = await startServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const before = process.memoryUsage().rss;
  const failure = await failureOf(fetchFor([server])(server.url).then((response) => response.text()));
  expect(failure).toMatchObject({ name: "UpstreamError", message: expect.stringContaining("too large") });
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});
