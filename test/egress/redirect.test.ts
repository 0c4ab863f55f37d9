import { describe, expect, it } from "vitest";
import { followRedirect } from "../../src/egress/redirect.ts";
import { failureOf, fetchFor, type LocalServer, startServer } from "./servers.ts";

/** Redirects `/<status>/<where>` and answers all else with what it was sent. */
function startRedirector(): Promise<LocalServer> {
  return startServer(async (incoming, outgoing) => {
    const [, status, where] = /^\/(30\d)\/(.*)$/.exec(incoming.url!) ?? [];
    if (status !== undefined) {
      outgoing.writeHead(Number(status), { location: decodeURIComponent(where!) }).end("moved");
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method, url, headers } = incoming;
    outgoing.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}

const secrets = {
  authorization: "Bearer hunter2",
  cookie: "a=hunter2",
  "proxy-authorization": "Basic hunter2",
  "x-api-key": "hunter2",
  "private-token": "hunter2",
};

describe("a redirect", () => {
  it("is followed three times and not four", async () => {
    const server = await startRedirector();
    const fetch = fetchFor([server]);
    const hops = (count: number): string => (count === 0 ? "/end" : `/302/${encodeURIComponent(hops(count - 1))}`);
    const response = await fetch(server.url + hops(3));
    expect([response.status, response.url, response.redirected]).toEqual([200, `${server.url}/end`, true]);
    expect(await failureOf(fetch(server.url + hops(4)))).toMatchObject({ name: "UpstreamError", status: 302 });
  });

  it("to another origin takes no credential along, whatever its name", async () => {
    const [server, other] = [await startRedirector(), await startRedirector()];
    const fetch = fetchFor([server, other]);
    const headers = { ...secrets, accept: "application/json", "user-agent": "mine" };
    const url = `${server.url}/307/${encodeURIComponent(`${other.url}/end`)}`;
    const text = await (await fetch(url, { headers, method: "POST", body: "{}" })).text();
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({
      method: "POST",
      body: "{}",
      headers: { accept: "application/json", "user-agent": "mine" },
    });
  });

  it("to another origin and back takes none along either", async () => {
    const [server, other] = [await startRedirector(), await startRedirector()];
    const back = `${other.url}/302/${encodeURIComponent(`${server.url}/end`)}`;
    const url = `${server.url}/302/${encodeURIComponent(back)}`;
    const text = await (await fetchFor([server, other])(url, { headers: secrets })).text();
    expect(text).not.toContain("hunter2");
  });

  it("within an origin takes all along, relative ones too", async () => {
    const server = await startRedirector();
    const response = await fetchFor([server])(`${server.url}/302/..%2Fend%3Fa%3Db`, { headers: secrets });
    expect(await response.json()).toMatchObject({ url: "/end?a=b", headers: secrets });
  });

  it.each([
    ["POST", 301, "GET", ""],
    ["POST", 302, "GET", ""],
    ["POST", 303, "GET", ""],
    ["PUT", 303, "GET", ""],
    ["PUT", 301, "PUT", "body"],
    ["PUT", 302, "PUT", "body"],
    ["POST", 307, "POST", "body"],
    ["POST", 308, "POST", "body"],
    ["DELETE", 308, "DELETE", "body"],
  ])("of %s by %i is followed with %s, as the global fetch does", async (method, status, expected, body) => {
    const server = await startRedirector();
    const ask = async (fetch: typeof globalThis.fetch) => {
      const response = await fetch(`${server.url}/${status}/%2Fend`, { method, body: "body" });
      const { headers, ...echo } = (await response.json()) as { headers: Record<string, string> };
      return { ...echo, type: headers["content-type"], length: headers["content-length"] };
    };
    const ours = await ask(fetchFor([server]));
    expect(ours).toMatchObject({ method: expected, body });
    expect(ours).toEqual(await ask(globalThis.fetch));
  });

  it("of a stream is followed where the stream is not needed again", async () => {
    const server = await startRedirector();
    const ask = (status: number) =>
      fetchFor([server])(`${server.url}/${status}/%2Fend`, {
        method: "POST",
        body: new Blob(["a"]).stream(),
        duplex: "half",
      } as RequestInit);
    expect(await (await ask(303)).json()).toMatchObject({ method: "GET", body: "" });
    expect(await failureOf(ask(307))).toMatchObject({ name: "UpstreamError", status: 307 });
  });

  it("from https to http is not followed", () => {
    const request = { method: "GET", url: new URL("https://a.example"), headers: new Headers(), body: undefined };
    expect(() => followRedirect(request, 302, "http://a.example/")).toThrow("from https to http");
    expect(followRedirect(request, 302, "https://user:word@b.example/").url.href).toBe("https://b.example/");
  });

  it("is given to a tool that asks for it, and refused to one that wants none", async () => {
    const server = await startRedirector();
    const fetch = fetchFor([server]);
    const response = await fetch(`${server.url}/302/%2Fend`, { redirect: "manual" });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([302, "/end", "moved"]);
    expect(await failureOf(fetch(`${server.url}/302/%2Fend`, { redirect: "error" }))).toMatchObject({
      name: "UpstreamError",
      status: 302,
    });
  });

  it("to nothing that is a URL is an error, and one without a place an answer", async () => {
    const server = await startServer((incoming, outgoing) => {
      outgoing.writeHead(302, incoming.url === "/none" ? {} : { location: "http://[" }).end("here");
    });
    const fetch = fetchFor([server]);
    expect(await (await fetch(`${server.url}/none`)).text()).toBe("here");
    expect(await failureOf(fetch(server.url))).toMatchObject({ name: "UpstreamError" });
  });
});
