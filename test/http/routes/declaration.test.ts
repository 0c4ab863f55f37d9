import { describe, expect, it } from "vitest";
import type { Declaration } from "../../../src/tool/declaration.ts";
import { appOf, readAnswer } from "../app-in-memory.ts";

const tools = [
  { name: "send_mail", description: "Sends a letter.", tags: ["mail", "write"] },
  { name: "get_weather", title: "Weather", description: "The weather of a city.", tags: ["weather", "read"] },
  {
    name: "Zip",
    description: "Packs a file.",
    response: { type: "string" },
    annotations: { readOnly: true },
    timeoutMs: 500,
    strict: true,
    parameters: { type: "object", properties: { level: { type: "integer" }, path: { type: "string" } } },
  },
  { name: "get_mail", description: "Reads the letters.", tags: ["mail", "read"] },
  { name: "web_search", description: "Searches the web.", requires: ["UNSET_KEY"] },
];

describe("GET /tools/{name}", () => {
  it("gives the declaration that the list gives", async () => {
    const { app } = appOf(tools);
    const { tools: listed } = (await (await app.request("/tools?names=Zip")).json()) as { tools: Declaration[] };
    const response = await app.request("/tools/Zip");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(response.headers.get("vary")).toContain("Authorization");
    expect(await response.json()).toEqual(listed[0]);
  });

  it("answers 404 with the name that was probably meant", async () => {
    const { status, body } = await readAnswer(await appOf(tools).app.request("/tools/get_wether"));
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: "unknown_tool", suggestion: "get_weather" });
  });

  it("answers 404 with the reason to a tool that is known and cannot run", async () => {
    const { status, headers, body } = await readAnswer(await appOf(tools).app.request("/tools/web_search"));
    expect(status).toBe(404);
    expect(headers.get("toolhost-outcome")).toBe("unavailable");
    expect(body.error).toMatchObject({ code: "unavailable", retryable: false, action: "stop", ran: "no" });
    expect(body.error?.message).toContain("UNSET_KEY");
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "zip",
    "Zip%20",
    "%5Aip%00",
    "a%2Fb",
    "%E0%A4%A",
    "%",
  ])("knows no tool %s", async (name) => {
    const { status, body } = await readAnswer(await appOf(tools).app.request(`/tools/${name}`));
    expect(status).toBe(404);
    expect(body.error?.code).toBe("unknown_tool");
  });

  it("takes no query", async () => {
    const { status, body } = await readAnswer(await appOf(tools).app.request("/tools/Zip?format=openai"));
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });
});
