import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { AppOptions } from "../../../../src/http/app.ts";
import { appOf } from "../../app-in-memory.ts";
import { listenWith } from "../../listening-app.ts";
import { exchangeText, requestText } from "../../node/raw-socket.ts";

const documents = ["/openapi.json", "/openapi.json?only=tools"];

async function serversOf(options: Partial<AppOptions>, url: string, headers: Record<string, string> = {}) {
  const answer = await appOf([{}], options).app.request(url, { headers });
  expect(answer.status).toBe(200);
  return readServers(await answer.text());
}

function readServers(json: string): string[] {
  return (JSON.parse(json) as { servers: { url: string }[] }).servers.map(({ url }) => url);
}

describe.each(documents)("the servers of %s", (document) => {
  it.each([
    ["https://tools.example/api", "https://tools.example/api"],
    ["https://tools.example/api/", "https://tools.example/api"],
    ["https://tools.example", "https://tools.example"],
    ["http://tools.example:8080/a/b", "http://tools.example:8080/a/b"],
    ["HTTPS://Tools.Example:443/Api", "https://tools.example/Api"],
    ["http://[::1]:8080", "http://[::1]:8080"],
  ])("are the publicUrl %s", async (publicUrl, server) => {
    for (const hosts of ["any", "loopback", ["other.example"]] as const) {
      const host = hosts === "loopback" ? "localhost" : "other.example";
      expect(await serversOf({ publicUrl, hosts }, document, { host })).toEqual([server]);
    }
  });

  it("are the address of the request where its Host is checked, a new one each time", async () => {
    const { app } = appOf([{}], { hosts: ["loopback", "tools.example"] });
    const hosts = ["localhost:8080", "tools.example", "[::1]:80", "127.0.0.1:1", "localhost:8080"];
    for (const host of hosts) {
      const answer = await app.request(document, { headers: { host } });
      expect(readServers(await answer.text())).toEqual([`http://${host}`]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("have the scheme of the server that the app is mounted in", async () => {
    const url = `https://tools.example:8443${document}`;
    expect(await serversOf({ hosts: ["tools.example"] }, url)).toEqual(["https://tools.example:8443"]);
  });

  it("are relative where any Host is answered, whatever Host asks", async () => {
    for (const host of ["localhost", "evil.example", "evil.example/a?b=", ""]) {
      expect(await serversOf({}, document, { host })).toEqual(["/"]);
    }
  });

  it("know the path under which another Hono app has mounted the service", async () => {
    for (const [options, server] of [
      [{}, "/api/tools-of-mine"],
      [{ hosts: ["tools.example"] }, "http://tools.example/api/tools-of-mine"],
      [{ publicUrl: "https://public.example/x" }, "https://public.example/x"],
    ] as const) {
      const outer = new Hono().basePath("/api").route("/tools-of-mine", appOf([{}], options).app);
      const answer = await outer.request(`http://tools.example/api/tools-of-mine${document}`);
      expect(readServers(await answer.text())).toEqual([server]);
    }
  });

  it("are those of the Host over a socket, also for a target that names it", async () => {
    const { port } = await listenWith([{}], { hosts: "loopback" });
    for (const target of [document, `http://localhost:${port}${document}`]) {
      const text = requestText(`GET ${target}`, { headers: { host: `localhost:${port}` } });
      expect(readServers((await exchangeText(port, text)).body)).toEqual([`http://localhost:${port}`]);
    }
  });

  it("do not believe what a proxy says", async () => {
    const headers = {
      host: "localhost",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-prefix": "/evil",
      forwarded: "host=evil.example;proto=https",
    };
    expect(await serversOf({ hosts: "loopback" }, document, headers)).toEqual(["http://localhost"]);
  });
});

describe("a service with a publicUrl", () => {
  const statusFor = async (headers: Record<string, string>, options: Partial<AppOptions> = {}): Promise<number> => {
    const { app } = appOf([{}], { publicUrl: "https://tools.example:8443/api", hosts: "loopback", ...options });
    return (await app.request("/tools", { headers })).status;
  };

  it.each(["tools.example", "tools.example:8443", "TOOLS.example.", "tools.example:9", "localhost"])(
    "answers to the Host %s",
    async (host) => expect(await statusFor({ host })).toBe(200),
  );

  it.each(["evil.example", "a.tools.example", "tools.example.evil.example"])(
    "does not answer to the Host %s",
    async (host) => expect(await statusFor({ host })).toBe(403),
  );

  it("adds its host to those that are named", async () => {
    expect(await statusFor({ host: "tools.example" }, { hosts: ["inside.example"] })).toBe(200);
    expect(await statusFor({ host: "inside.example" }, { hosts: ["inside.example"] })).toBe(200);
    expect(await statusFor({ host: "evil.example" }, { hosts: ["inside.example"] })).toBe(403);
    expect(await statusFor({ host: "whatever.example" }, { hosts: "any" })).toBe(200);
  });

  it("takes pages of its origin for its own, without CORS, behind a proxy that names another Host", async () => {
    const { app } = appOf([{}], { publicUrl: "https://tools.example:8443/api", hosts: "loopback" });
    const asked = (origin: string) => app.request("/tools", { headers: { host: "127.0.0.1:8080", origin } });
    const own = await asked("https://tools.example:8443");
    expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    for (const other of ["https://tools.example", "http://tools.example:8443", "https://evil.example"]) {
      expect((await asked(other)).status).toBe(403);
    }
  });

  it("answers at its own paths: the proxy takes the path off", async () => {
    const { app } = appOf([{}], { publicUrl: "https://tools.example/api" });
    expect((await app.request("/tools")).status).toBe(200);
    expect((await app.request("/api/tools")).status).toBe(404);
  });

  it.each([
    "",
    "/api",
    "tools.example",
    "tools.example/api",
    "ftp://tools.example",
    "https:tools.example",
    "https://",
    "https://tools.example/?a=1",
    "https://tools.example/?",
    "https://tools.example/#",
    "https://me:s3cr3t@tools.example",
    "https://me@tools.example",
    " https://tools.example",
    "https://tools.example/a b",
    "https:\\\\tools.example",
    "https://*.example",
    "https://tools.example:99999",
  ])("is not made of %j, and does not repeat it", (publicUrl) => {
    const make = () => appOf([{}], { publicUrl });
    expect(make).toThrow("publicUrl must be an absolute http or https URL");
    expect(make).not.toThrow("s3cr3t");
  });
});
