import { describe, expect, it } from "vitest";
import { appOf, post } from "../app-in-memory.ts";
import { codes, resultsOf } from "./call-results.ts";

describe("calls that are restricted", () => {
  const tools = [
    { name: "get_a", tags: ["read"] },
    { name: "get_b", tags: ["read", "b"] },
    { name: "set_a", tags: ["write"] },
  ];
  const calls = tools.map(({ name }) => ({ name }));

  it.each([
    ["", ["ok", "ok", "ok"]],
    ["?names=get_a,set_a", ["ok", "unknown_tool", "ok"]],
    ["?tags=read", ["ok", "ok", "unknown_tool"]],
    ["?tags=read&names=get_b", ["unknown_tool", "ok", "unknown_tool"]],
    ["?source=local", ["ok", "ok", "ok"]],
    ["?source=elsewhere", ["unknown_tool", "unknown_tool", "unknown_tool"]],
    ["?names=none", ["unknown_tool", "unknown_tool", "unknown_tool"]],
    ["?format=toolhost", ["ok", "ok", "ok"]],
  ])("run with %s what the query allows and nothing else", async (query, expected) => {
    expect(codes(await resultsOf(appOf(tools).app, calls, query))).toEqual(expected);
  });

  it("do not suggest what they may not call", async () => {
    const [result] = await resultsOf(appOf(tools).app, [{ name: "set_b" }], "?names=get_a");
    expect(result?.error).toMatchObject({ code: "unknown_tool" });
    expect(result?.error).not.toHaveProperty("suggestion");
    const [known] = await resultsOf(appOf(tools).app, [{ name: "get_b" }], "?names=get_a");
    expect(known?.error?.suggestion).toBe("get_a");
  });

  it.each([
    "?name=a",
    "?timeoutMs=5",
    "?names=",
    "?names=a&names=b",
    "?format=openai",
    "?format=",
    "?echo=true",
    "?tags=%FF",
  ])("are 400 for the query %s", async (query) => {
    const { status, body } = await post(appOf(tools).app, `/calls${query}`, JSON.stringify({ calls }));
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });

  it("run the declaration that a hash names", async () => {
    const { app, registry } = appOf(tools);
    const { hash } = registry.find("get_a")!.declaration;
    expect(
      codes(
        await resultsOf(app, [
          { name: "get_a", hash },
          { name: "get_b", hash },
        ]),
      ),
    ).toEqual(["ok", "declaration_changed"]);
  });
});
