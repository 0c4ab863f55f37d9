import { expect, test } from "vitest";
import { isLoopback } from "../../src/net/loopback.ts";

test.each([
  "localhost",
  "::1",
  "[::1]",
  "127.0.0.1",
  "127.255.255.254",
  "127.1",
  "LOCALHOST",
  "::ffff:127.0.0.1",
  "0:0:0:0:0:0:0:1",
])("%s is reached only from this machine", (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(["", "0.0.0.0", "::", "127.0.0.256", "127.0.0.1.example", "localhost.example", "[127.0.0.1]", "10.0.0.1"])(
  "%j can be reached from elsewhere, or is not an address",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
