import { describe, expect, it } from "vitest";
import { appOf, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, requestText } from "../node/raw-socket.ts";

const listOf = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`;
const maxBodyBytes = 16_777_216;
const paths = ["/calls?format=openai", "/calls?format=gemini", "/calls", "/tools/tool/invoke"];
/** So many small values, the list itself counted. */
const shapes: Readonly<Record<string, (values: number) => string>> = {
  "empty objects": (values) => listOf("{}", values - 1),
  "lists in lists": (values) => listOf("[[]]", (values - 1) / 2),
  numbers: (values) => listOf("7", values - 1),
  "empty strings": (values) => listOf('""', values - 1),
  "members with one key": (values) => `{${'"a":1,'.repeat(values - 2)}"a":1}`,
  "values with spaces between": (values) => listOf(" \n\t{  }  ", values - 1),
  "deep nests": (values) => listOf("[".repeat(62) + "]".repeat(62), Math.ceil((values - 1) / 62)),
};

describe("a body of over 200,000 values", () => {
  it.each(Object.entries(shapes))("is too large: %s", async (_name, shape) => {
    const { port } = await listenWith([{}], { maxBodyBytes });
    for (const path of paths) {
      const answer = await exchangeText(port, requestText(`POST ${path}`, { body: shape(200_063) }), 15_000);
      expect({ path, status: answer.status }).toEqual({ path, status: 413 });
      expect(JSON.parse(answer.body)).toMatchObject({
        error: { code: "body_too_large", message: "The body has over 200000 values.", ran: "no" },
      });
    }
  });

  it("is refused in memory too, and one of 200,000 is not", async () => {
    const { app } = appOf([{ parameters: { type: "object" }, execute: () => "ran" }], { maxBodyBytes });
    expect((await post(app, paths[0]!, listOf("{}", 200_000))).status).toBe(413);
    expect((await post(app, paths[0]!, listOf("{}", 199_999))).status).toBe(400);
    expect((await post(app, "/tools/tool/invoke", `{"a":${listOf("{}", 199_998)}}`)).body.result).toBe("ran");
    expect((await post(app, "/tools/tool/invoke", `{"a":${listOf("{}", 199_999)}}`)).status).toBe(413);
  });

  it("is refused before its end comes", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    raw.send(
      requestText("POST /calls?format=openai", {
        headers: { "content-type": "application/json", "content-length": "16000000" },
      }),
    );
    raw.send(shapes["empty objects"]!(300_000));
    await raw.until((text) => answersIn(text).length > 0, 15_000);
    expect(answersIn(raw.text)[0]).toMatchObject({ status: 413 });
    await raw.closed();
    raw.socket.destroy();
  });
});

describe("arguments of over 50,000 values as text", () => {
  const replyOf = (...texts: string[]): string =>
    JSON.stringify({
      role: "assistant",
      tool_calls: texts.map((text, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name: "tool", arguments: text },
      })),
    });
  const app = () => appOf([{ parameters: { type: "object" }, execute: () => "ran" }]).app;
  const resultsOf = async (body: string): Promise<unknown[]> => {
    const answer = await post(app(), "/calls?format=openai", body);
    expect(answer.status).toBe(200);
    return (answer.body as unknown as { results: unknown[] }).results;
  };

  it("fail their call alone", async () => {
    const [large, small] = await resultsOf(replyOf(`{"a":${listOf("{}", 60_000)}}`, '{"a":1}'));
    expect(large).toMatchObject({
      status: "error",
      error: { code: "invalid_arguments", message: expect.stringContaining("50000 values together"), ran: "no" },
    });
    expect(small).toMatchObject({ status: "ok", result: "ran" });
  });

  it("are counted over all calls of a reply", async () => {
    const text = `{"a":${listOf("[]", 20_000)}}`;
    const results = await resultsOf(replyOf(text, text, text, "{}"));
    expect(results.map((result) => (result as { status: string }).status)).toEqual(["ok", "ok", "error", "ok"]);
  });

  it("may be one long string", async () => {
    const [result] = await resultsOf(replyOf(JSON.stringify({ a: '["\\'.repeat(300_000) })));
    expect(result).toMatchObject({ status: "ok" });
  });

  it("are not parsed by a repair", async () => {
    const parameters = { type: "object", properties: { a: { type: "array" } } };
    const repairing = appOf([{ parameters }]).app;
    const of = async (count: number) =>
      (await post(repairing, "/tools/tool/invoke?repair=true", JSON.stringify({ a: listOf("{}", count) }))).body;
    expect(await of(40_000)).toMatchObject({ status: "ok", repairs: [{ path: "/a", kind: "parsed_json" }] });
    expect(await of(60_000)).toMatchObject({ status: "error", error: { code: "invalid_arguments" } });
  });
});
