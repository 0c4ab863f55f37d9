import { expect, it } from "vitest";
import { canonicalHost, hostNameOf, isLoopbackAddress } from "../../src/net/host-name.ts";

it.each([
  ["localhost", "localhost", "localhost"],
  ["LocalHost.:080", "localhost", "localhost:80"],
  ["a_b.example:", "a_b.example", "a_b.example"],
  ["127.0.0.1.:8080", "127.0.0.1", "127.0.0.1:8080"],
  ["127.1", "127.0.0.1", "127.0.0.1"],
  ["0x7F.1:1", "127.0.0.1", "127.0.0.1:1"],
  ["[0:0:0:0:0:0:0:1]:65535", "[::1]", "[::1]:65535"],
  ["[::FFFF:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:7f00:1]"],
  ["[FD00:0::0001]:0", "[fd00::1]", "[fd00::1]:0"],
])("%s names %s", (host, name, whole) => {
  expect([hostNameOf(host), canonicalHost(host)]).toEqual([name, whole]);
});

it.each([
  "",
  "localhost:65536",
  "localhost:80:80",
  "localhost:+1",
  "a..b",
  "[::1",
  "::1",
  "[::gggg]",
  "[::1].",
  "[fe80::1%251]",
  "127.0.0.256",
  "1.2.3.4.5",
  "127.0.0.08",
  "a b",
  "user@localhost",
  "localhost/x",
])("%j is malformed", (host) => {
  expect([hostNameOf(host), canonicalHost(host)]).toEqual([undefined, undefined]);
});

it("an address is of this machine alone in any spelling", () => {
  const isOwn = (host: string): boolean => isLoopbackAddress(hostNameOf(host) ?? "");
  const own = ["127.0.0.1", "127.255.0.3", "2130706433", "[::1]", "[0::0:1]", "[::ffff:127.9.9.9]"];
  const others = [
    "128.0.0.1",
    "127.example",
    "[::2]",
    "[::]",
    "0.0.0.0",
    "[::127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:7f:1]",
  ];
  expect(own.filter((host) => !isOwn(host))).toEqual([]);
  expect(others.filter(isOwn)).toEqual([]);
});
