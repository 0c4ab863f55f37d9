import { expect, test } from "vitest";
import { sha256 } from "../../../src/access/keys.ts";
import { ask, callTool, mcpApp, post } from "../messages.ts";

const tools = [
  { name: "get_a", tags: ["x"], annotations: { readOnly: true } },
  { name: "get_b", tags: ["y"] },
  { name: "set_a", tags: ["x"] },
];
const keys = [
  { name: "get", sha256: sha256("get"), tools: ["get_*"] },
  { name: "read", sha256: sha256("read"), readOnly: true },
  { name: "none", sha256: sha256("none"), tools: [] },
];
const rights: Readonly<Record<string, readonly string[]>> = { get: ["get_a", "get_b"], read: ["get_a"], none: [] };

/** Parts that a client may ask for to see more than it may use. */
const queries = [
  "names=set_a",
  "names=set_a,get_a",
  "names=*",
  "names=",
  "names=,",
  "names=set_a&names=get_a",
  "tags=x",
  "tags=",
  "source=local",
  "source=",
  "source=*",
  "names=%73et_a",
  "NAMES=set_a",
  "names[]=set_a",
  "operator=true",
  "q=set",
];

test.each(Object.keys(rights))("no part that the URL names widens what the key %s may use", async (key) => {
  const { app } = mcpApp(tools, { auth: { keys } });
  const headers = { authorization: `Bearer ${key}` };
  for (const query of queries) {
    const path = `/mcp?${query}`;
    for (const era of ["legacy", "modern"] as const) {
      const { status, message } = await ask(app, era, "tools/list", {}, { headers, path });
      const listed = (message.result?.["tools"] ?? []) as { readonly name: string }[];
      for (const { name } of listed) expect(rights[key], `${query} ${status}`).toContain(name);
      const called = await callTool(app, era, "set_a", {}, { headers, path });
      expect([query, called.message.error === undefined]).toEqual([query, false]);
      const batch = `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_a"}}]`;
      const { message: answered } = await post(app, batch, headers, path);
      expect(JSON.stringify(answered)).not.toContain('"result"');
    }
  }
});

test("a part that is empty is not the whole", async () => {
  const { app } = mcpApp(tools);
  for (const query of ["names=", "names=,", "tags=", "source=", "names=none", "source=none&names=get_a"]) {
    const { status, message } = await ask(app, "modern", "tools/list", {}, { path: `/mcp?${query}` });
    const listed = message.result?.["tools"] as unknown[] | undefined;
    expect([query, status === 400 || listed?.length === 0]).toEqual([query, true]);
  }
});

test("the lists of callers with the same part in their URLs do not meet", async () => {
  const { app } = mcpApp(tools, { auth: { keys } });
  const path = "/mcp?tags=x";
  for (let round = 0; round < 2; round++) {
    for (const key of ["get", "none", "read"]) {
      const { message } = await ask(
        app,
        "modern",
        "tools/list",
        {},
        { headers: { authorization: `Bearer ${key}` }, path },
      );
      const listed = (message.result!["tools"] as { readonly name: string }[]).map(({ name }) => name);
      expect([key, listed]).toEqual([key, rights[key]!.filter((name) => name === "get_a")]);
    }
  }
});
