import { describe, expect, it, onTestFinished } from "vitest";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, requestText } from "../node/raw-socket.ts";

/** What an old library, or a deep merge of a caller's `{"constructor":{"prototype":…}}`, leaves on every object. */
const leftovers: Readonly<Record<string, unknown>> = {
  extend: function extend(): undefined {},
  forged: "1\r\nset-cookie: session=stolen\r\n\r\nHTTP/1.1 200 OK",
  "set-cookie": "session=stolen",
  "content-encoding": "gzip",
  "transfer-encoding": "gzip",
  "if-none-match": "*",
  accept: "text/event-stream",
  prefer: "respond-async",
  "idempotency-key": "a",
  "toolhost-session": "a",
  origin: "https://elsewhere.example",
  expect: "100-continue",
  connection: "close",
  vary: "*",
  allow: "TRACE",
  names: "other",
  tags: "other",
  format: "anthropic",
  limit: "1",
  echo: "true",
  calls: [{ name: "tool" }],
  id: "forged-id",
  hash: "sha256:0",
};

function pollute(): () => void {
  for (const [name, value] of Object.entries(leftovers)) {
    Object.defineProperty(Object.prototype, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return () => {
    for (const name of Object.keys(leftovers)) delete (Object.prototype as Record<string, unknown>)[name];
  };
}

const replyOfOpenAi = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "tool", arguments: '{"city":"Oslo"}' } }],
};
const calls = JSON.stringify({ calls: [{ name: "tool", arguments: { a: 1 } }, { name: "other" }, 7] });

const requests: Readonly<Record<string, string>> = {
  "a call": requestText("POST /tools/tool/invoke", { body: '{"city":"Oslo"}' }),
  "a call with a query": requestText("POST /tools/tool/invoke?timeoutMs=500", { body: "{}" }),
  "a call by an encoded name": requestText("POST /tools/t%6fol/invoke", { body: "{}" }),
  "an unknown tool": requestText("POST /tools/other/invoke", { body: "{}" }),
  "a body that is refused": requestText("POST /tools/tool/invoke", { body: '{"a":1,"a":2}' }),
  "many calls": requestText("POST /calls", { body: calls }),
  "a body without calls": requestText("POST /calls", { body: "{}" }),
  "a reply": requestText("POST /calls?format=openai&echo=true", { body: JSON.stringify(replyOfOpenAi) }),
  "a reply without calls": requestText("POST /calls?format=openai", { body: '{"role":"assistant","content":"Hi"}' }),
  "the list": requestText("GET /tools"),
  "the list of a provider": requestText("GET /tools?format=openai"),
  "a declaration": requestText("GET /tools/tool"),
  "the status": requestText("GET /status"),
  health: requestText("GET /healthz"),
  "a preflight": requestText("OPTIONS /tools", { headers: { origin: "https://app.example" } }),
  "a wrong method": requestText("DELETE /tools"),
  "a wrong path": requestText("GET /nothing"),
  "another Host": requestText("GET /tools", { headers: { host: "elsewhere.example" } }),
  "what is no HTTP": "NONSENSE\r\n\r\n",
};

describe("a process whose Object.prototype holds enumerable junk", () => {
  it.each(Object.entries(requests))("answers %s as before", async (_name, request) => {
    const options = { hosts: ["127.0.0.1"], origins: ["https://app.example"] };
    const { port } = await listenWith([{}], options);
    const before = stable(await exchangeText(port, request));
    const clean = pollute();
    onTestFinished(clean);
    const raw = await openSocket(port);
    raw.send(request);
    // Nothing else is done while every object is strange: the test's own tools are objects too.
    await raw.until((text) => answersIn(text).length > 0).finally(clean);
    raw.socket.destroy();
    expect(stable(answersIn(raw.text)[0]!)).toEqual(before);
    expect(raw.text).not.toContain("stolen");
  });
});

/** An answer without what differs from call to call. */
function stable({ status, headers, body }: ReturnType<typeof answersIn>[number]): object {
  const { date: _date, "x-request-id": _id, "content-length": _length, ...others } = headers;
  return { status, headers: { ...others }, body: body.replaceAll(/"callId":"[^"]+"/g, '"callId":"…"') };
}
