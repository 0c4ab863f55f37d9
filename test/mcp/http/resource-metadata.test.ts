import { describe, expect, it } from "vitest";
import { startInMemory } from "../../service/service-in-memory.ts";
import { mcpApp, post } from "../messages.ts";

const jwt = { issuer: "https://issuer.example", audience: "toolhost", jwksUrl: "https://issuer.example/keys" };
const well = "/.well-known/oauth-protected-resource";

describe("the metadata of the protected resource", () => {
  it("names the issuer of tokens, for anyone, also with a path behind it", async () => {
    const { app } = mcpApp([{}], { auth: { jwt }, publicUrl: "https://tools.example/api/" });
    for (const path of [well, `${well}/mcp`, `${well}/api/mcp`]) {
      const response = await app.request(path);
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          resource: "https://tools.example/api/mcp",
          authorization_servers: ["https://issuer.example"],
          bearer_methods_supported: ["header"],
          resource_name: "Toolhost",
        },
      ]);
    }
  });

  it("is what a client that is refused is led to", async () => {
    const { app } = mcpApp([{}], { auth: { jwt }, publicUrl: "https://tools.example/api" });
    const { status, headers } = await post(app, "{}");
    expect([status, headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer realm="toolhost", resource_metadata="https://tools.example/api${well}"`,
    ]);
    const refused = await post(app, "{}", { authorization: "Bearer wrong" });
    expect(refused.headers.get("www-authenticate")).toMatch(/error="invalid_token", resource_metadata="https/);
  });

  it("without a public URL names the host of the request, and must not be kept", async () => {
    const { app } = mcpApp([{}], { auth: { jwt }, hosts: "loopback" });
    const response = await app.request(`http://localhost:8080${well}`);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ resource: "http://localhost:8080/mcp" });
    expect((await post(app, "{}", { host: "localhost" })).headers.get("www-authenticate")).toBe(
      'Bearer realm="toolhost"',
    );
    const stranger = await app.request(`http://evil.example${well}`);
    expect(stranger.status).toBe(403);
  });

  it("does not exist if no tokens are accepted", async () => {
    for (const options of [{}, { apiKeys: ["key"] }]) {
      const { app } = mcpApp([{}], options);
      const headers = { authorization: "Bearer key" };
      expect((await app.request(well, { headers })).status).toBe(404);
    }
  });

  it("follows the configuration of the service", async () => {
    const file = (issuer: string): string =>
      `auth: { jwt: { issuer: "${issuer}", audience: toolhost, jwksUrl: "https://issuer.example/keys" } }\n`;
    const { get, write, reload } = await startInMemory({ "toolhost.yaml": file("https://one.example") });
    expect(await (await get(well)).json()).toMatchObject({ authorization_servers: ["https://one.example"] });
    write({ "toolhost.yaml": file("https://two.example") });
    await reload();
    expect(await (await get(well)).json()).toMatchObject({ authorization_servers: ["https://two.example"] });
  });
});
