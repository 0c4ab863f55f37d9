import { describe, expect, it } from "vitest";
import { readEgressRules } from "../../src/egress/rules.ts";

const allowing = (...allow: string[]) => readEgressRules({ allow });

describe("an entry of egress.allow", () => {
  it.each([
    ["10.1.2.3", "10.1.2.3", 80, true],
    ["10.1.2.3", "10.1.2.4", 80, false],
    ["10.1.2.3", "::ffff:10.1.2.3", 80, true],
    ["10.1.2.3:8080", "10.1.2.3", 8080, true],
    ["10.1.2.3:8080", "10.1.2.3", 80, false],
    ["10.1.0.0/16", "10.1.255.255", 80, true],
    ["10.1.0.0/16", "10.2.0.0", 80, false],
    ["10.1.2.3/16", "10.1.9.9", 80, true],
    ["0.0.0.0/0", "127.0.0.1", 80, true],
    ["0.0.0.0/0", "::1", 80, false],
    ["fd00::1", "fd00::1", 80, true],
    ["fd00::1", "fd00:0:0::0:1", 80, true],
    ["[fd00::1]", "fd00::1", 80, true],
    ["[fd00::1]:8080", "fd00::1", 8080, true],
    ["[fd00::1]:8080", "fd00::1", 80, false],
    ["fd00::/8", "fd12::1", 80, true],
    ["internal.example", "10.1.2.3", 80, false],
  ])("%s: %s at port %i is allowed: %s", (entry, address, port, isAllowed) => {
    expect(allowing(entry).allowsAddress(address, port)).toBe(isAllowed);
  });

  it.each([
    ["internal.example", "internal.example", 80, true],
    ["internal.example", "INTERNAL.example.", 80, true],
    ["Internal.Example.", "internal.example", 80, true],
    ["internal.example", "other.internal.example", 80, false],
    ["internal.example:443", "internal.example", 443, true],
    ["internal.example:443", "internal.example", 80, false],
    ["bücher.example", "xn--bcher-kva.example", 80, true],
    ["localhost", "localhost", 80, true],
    ["a_b", "a_b", 80, true],
    ["10.1.2.3", "internal.example", 80, false],
  ])("%s: the host %s at port %i is allowed: %s", (entry, host, port, isAllowed) => {
    expect(allowing(entry).allowsHost("http:", host, port)).toBe(isAllowed);
  });

  it.each([
    "",
    " ",
    "*",
    "*.example",
    "https://internal.example",
    "internal.example/path",
    "internal.example:",
    "internal.example:0",
    "internal.example:65536",
    "internal.example:443:1",
    "user@internal.example",
    "10.1.0.0/33",
    "10.1.0.0/",
    "10.1.0.0/x",
    "10.1/16",
    "10.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "256.1.1.1",
    "[10.1.2.3]",
    "[fd00::1",
    "fd00::/129",
    "fd00:::1",
    "fe80::1%eth0",
    "in ternal",
    "-a.example",
  ])("%j is refused where it is set", (entry) => {
    expect(() => allowing("10.0.0.0/8", entry)).toThrow(`egress.allow: ${JSON.stringify(entry)}`);
  });
});

describe("an origin of the operator", () => {
  const rules = readEgressRules({
    origins: ["http://10.1.2.3:8080/base/path", "https://Internal.Example", "http://[::1]"],
  });

  it("is allowed with its scheme and its port alone", () => {
    expect(rules.allowsHost("http:", "10.1.2.3", 8080)).toBe(true);
    expect(rules.allowsHost("https:", "10.1.2.3", 8080)).toBe(false);
    expect(rules.allowsHost("http:", "10.1.2.3", 80)).toBe(false);
    expect(rules.allowsHost("https:", "internal.example", 443)).toBe(true);
    expect(rules.allowsHost("http:", "internal.example", 443)).toBe(false);
    expect(rules.allowsHost("http:", "::1", 80)).toBe(true);
    expect(rules.allowsAddress("10.1.2.3", 8080)).toBe(false);
  });

  it("that is no http URL is refused where it is set, and not repeated, for it may hold a secret", () => {
    for (const origin of ["", "internal.example", "file:///etc", "ftp://hunter2@a"]) {
      expect(() => readEgressRules({ origins: [origin] })).toThrow(
        /^egress.origins: an entry is not an http or https URL$/,
      );
    }
  });
});
