import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config/read-config.ts";
import { accessInBoth } from "../../src/service/settings.ts";
import { sha256, type KeyOptions } from "../../src/access/keys.ts";

const config = await readConfig([], {}, "/");
const onFault = (): void => undefined;
const hash = sha256("key");
const jwt = { issuer: "https://id.example", audience: "toolhost", jwksUrl: "https://id.example/keys" };
const keyOf = (more: Partial<KeyOptions>): KeyOptions => ({ name: "a", sha256: hash, ...more });
const during = (before: object, next: object) =>
  accessInBoth({ ...config, ...before }, { ...config, ...next }, onFault);
const keys = (...list: KeyOptions[]) => ({ auth: { keys: list, jwt: undefined } });

describe("while the tools of the next configuration are loaded", () => {
  it.each([
    ["tools", { tools: ["*"] }, { tools: ["get_*"] }],
    ["its operator's view", { tools: ["*"], operator: true }, { tools: ["*"], operator: false }],
    ["writing tools", { tools: ["*"] }, { tools: ["*"], readOnly: true }],
    ["every tool but some", {}, { tools: ["get_*"] }],
  ])("a key that loses %s has lost it", (_what, before, next) => {
    expect(during(keys(keyOf(before)), keys(keyOf(next))).auth?.keys).toEqual([keyOf(next)]);
  });

  it.each([
    ["tools", { tools: ["get_*"] }, { tools: ["*"] }],
    ["other tools", { tools: ["get_*"] }, { tools: ["set_*"] }],
    ["the operator's view", { tools: ["*"] }, { tools: ["*"], operator: true }],
    ["writing tools", { tools: ["*"], readOnly: true }, { tools: ["*"], readOnly: false }],
  ])("a key that gains %s does not have it yet", (_what, before, next) => {
    expect(during(keys(keyOf(before)), keys(keyOf(next))).auth?.keys).toEqual([keyOf(before)]);
  });

  it("a key that is new is not accepted, one that is gone no longer, and nobody is let in without a key", () => {
    const other = { ...keyOf({}), name: "b", sha256: sha256("other") };
    const access = during(keys(keyOf({})), keys(other));
    expect(access.auth?.keys).toEqual([]);
    expect(access.apiKeys).toHaveLength(1);
    expect(access.apiKeys).not.toContain("key");
  });

  it("a key in plain text that becomes one with limits has the limits", () => {
    const limited = keyOf({ tools: ["get_*"] });
    const access = during({ apiKeys: ["key"] }, { apiKeys: [], ...keys(limited) });
    expect([access.apiKeys, access.auth?.keys]).toEqual([[], [limited]]);
  });

  it("tokens are accepted if both have the same issuer", () => {
    const tokens = (more: object) => ({ auth: { keys: [keyOf({})], jwt: { ...jwt, ...more } } });
    expect(during(tokens({}), tokens({ toolsClaim: "tools" })).auth?.jwt).toMatchObject(jwt);
    expect(during(tokens({}), tokens({ issuer: "https://other.example" })).auth?.jwt).toBeUndefined();
    expect(during(tokens({}), keys(keyOf({}))).auth?.jwt).toBeUndefined();
  });

  it("a service that was open is closed at once", () => {
    expect(during({}, { apiKeys: ["key"] }).apiKeys).toEqual(["key"]);
  });
});
