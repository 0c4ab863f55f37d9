import { describe, expect, it } from "vitest";
import { createRegistry } from "../../src/create-registry.ts";
import { createApp } from "../../src/http/app.ts";

const registry = createRegistry();
const sha256 = "0".repeat(64);

describe("a mistake in the options of createApp does not open the service", () => {
  it.each<[object, RegExp]>([
    [{ apiKey: "secret-key" }, /^"apiKey" is not an option of createApp\. Did you mean "apiKeys"\?$/],
    [{ apikeys: ["secret-key"] }, /^"apikeys" is not an option of createApp\. Did you mean "apiKeys"\?$/],
    [{ apiKeys: [] }, /^apiKeys is empty\. Leave it out if anyone may call\.$/],
    [{ apiKeys: "secret-key" }, /^apiKeys must be a list\.$/],
    [{ auth: {} }, /^"auth" must contain "keys" or "jwt"\.$/],
    [{ auth: { key: [] } }, /^"key" is not an option of auth\. Did you mean "keys"\?$/],
    [{ auth: { keys: [] } }, /^auth\.keys is empty/],
    [{ auth: { keys: ["secret-key"] } }, /^The options of auth\.keys\[0\] must be an object\.$/],
    [
      { auth: { keys: [{ name: "a", key: "secret-key" }] } },
      /^"key" is not an option of auth\.keys\[0\]\. Did you mean "sha256"\?$/,
    ],
    [{ auth: { keys: [{ name: "a" }] } }, /^auth\.keys\[0\]\.sha256 must be a string/],
    [{ auth: { keys: [{ sha256 }] } }, /^auth\.keys\[0\]\.name must be a string/],
  ])("%j", (options, message) => {
    expect(() => createApp({ registry, ...options })).toThrow(message);
    expect(() => createApp({ registry, ...options })).not.toThrow(/secret-key/);
  });
});

it("createRegistry refuses options that it does not have", () => {
  const options: object = { tool: [] };
  expect(() => createRegistry(options)).toThrow('"tool" is not an option of createRegistry. Did you mean "tools"?');
});
