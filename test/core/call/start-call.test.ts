import { describe, expect, it } from "vitest";
import { createAgentWith } from "../../../src/agent/agent.ts";
import { createAgentTools } from "../../../src/agent/tools.ts";
import { call as callCommand } from "../../../src/cli/call.ts";
import type { Call } from "../../../src/core/call/call.ts";
import { createStartCall, outcomeOf, type StartCall } from "../../../src/core/call/start-call.ts";
import { CallError } from "../../../src/errors/errors.ts";
import { failedOutcome, type Outcome } from "../../../src/core/outcome.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import { createRegistry } from "../../../src/core/registry/registry.ts";
import type { CallRecord } from "../../../src/core/observer.ts";
import { createTools } from "../../../src/service/tools.ts";
import { calls, says, scriptedModel } from "../../agent/scripted-model.ts";
import { stdinOf } from "../../cli/toolhost.ts";
import { appOf } from "../../http/app-in-memory.ts";
import { errorOf, resultOf, toolOf } from "../one-tool.ts";

type Wrap = (next: StartCall) => StartCall;

/** What a door answers of one call to a tool that counts its runs. */
interface Answered {
  readonly outcome: Outcome;
  readonly runs: number;
}

/** Calls the tool twice in a row by one door, whose StartCall is wrapped. */
type Door = (wrap: Wrap) => Promise<readonly [Answered, Answered]>;

async function twice(ask: () => Promise<Outcome>, runs: () => number): Promise<readonly [Answered, Answered]> {
  const first = { outcome: await ask(), runs: runs() };
  return [first, { outcome: await ask(), runs: runs() }];
}

function counted() {
  let runs = 0;
  return { tool: { execute: () => ({ run: ++runs }) }, runs: () => runs };
}

function overHttp(
  path: string,
  body: object,
  read: (text: string) => unknown,
  headers: Record<string, string> = {},
): Door {
  return async (wrap) => {
    const { tool, runs } = counted();
    const registry = createRegistry({ env: {}, tools: [toolOf(tool)] });
    const { app } = appOf([], { registry, startCall: wrap(createStartCall(registry)), doors: [mcpDoor] });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    return twice(async () => read(await (await app.request(path, init)).text()) as Outcome, runs);
  };
}

const firstResult = (text: string): unknown => (JSON.parse(text) as { results: unknown[] }).results[0];
const lastEvent = (text: string): unknown => JSON.parse(/event: outcome\ndata: (.*)/.exec(text)?.[1] ?? "null");
/** The outcome in a `CallToolResult`. */
const ofMcp = (text: string): unknown => {
  const { result } = JSON.parse(text) as {
    result: { structuredContent: unknown; _meta?: { "toolhost/error": unknown } };
  };
  const error = result._meta?.["toolhost/error"];
  return error === undefined ? { status: "ok", result: result.structuredContent } : { status: "error", error };
};
const mcpCall = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tool" } };
const called = calls(["id", "tool", {}]);

const inAgent: Door = async (wrap) => {
  const { tool, runs } = counted();
  const tools = createAgentTools([toolOf(tool)], undefined, (registry) => wrap(createStartCall(registry)));
  const model = scriptedModel([called, says("Done."), called, says("Done.")]);
  const agent = createAgentWith({ model }, tools);
  return twice(async () => (await agent.chat("Go")).toolCalls[0]!.outcome!, runs);
};

const inAgentOfRegistry: Door = async (wrap) => {
  const { tool, runs } = counted();
  const shared = createRegistry({ env: {}, tools: [toolOf(tool)] });
  const tools = createAgentTools(shared, undefined, (registry) => wrap(createStartCall(registry)));
  const model = scriptedModel([called, says("Done."), called, says("Done.")]);
  const agent = createAgentWith({ model }, tools);
  return twice(async () => (await agent.chat("Go")).toolCalls[0]!.outcome!, runs);
};

const onCommandLine: Door = async (wrap) => {
  const { tool, runs } = counted();
  const tools = createTools({ env: {} });
  tools.registry.add(toolOf(tool));
  const load = async () => ({ ...tools, startCall: wrap(tools.startCall) });
  return twice(async () => {
    let written = "";
    const out = (text: string): void => void (written += text);
    await callCommand(["tool"], { env: {}, cwd: ".", out, err: out, ...stdinOf(""), onEnd: () => undefined }, load);
    return JSON.parse(written) as Outcome;
  }, runs);
};

const doors: Readonly<Record<string, Door>> = {
  "POST /tools/{name}/invoke": overHttp("/tools/tool/invoke", {}, (text) => JSON.parse(text)),
  "a stream": overHttp("/tools/tool/invoke", {}, lastEvent, { accept: "text/event-stream" }),
  "POST /calls": overHttp("/calls", { calls: [{ name: "tool" }] }, firstResult),
  "POST /calls?format=": overHttp("/calls?format=openai", called, firstResult),
  "POST /mcp": overHttp("/mcp", mcpCall, ofMcp),
  "an agent with its own tools": inAgent,
  "an agent of a registry": inAgentOfRegistry,
  "toolhost call": onCommandLine,
};

describe.each(Object.entries(doors))("what stands in front of every call, at %s,", (_name, door) => {
  it("sees each call once", async () => {
    const seen: Call[] = [];
    const answered = await door((next) => (call, done) => {
      seen.push(call);
      next(call, done);
    });
    expect(seen.map(({ name }) => name)).toEqual(["tool", "tool"]);
    expect(answered.map(({ outcome }) => resultOf(outcome))).toEqual([{ run: 1 }, { run: 2 }]);
  });

  it("can refuse a call", async () => {
    const refusal = new CallError("rate_limited", "Not now.", { retryAfterMs: 2000 });
    const answered = await door(() => (_call, done) => done(failedOutcome(refusal)));
    expect(answered.map(({ runs }) => runs)).toEqual([0, 0]);
    expect(errorOf(answered[0].outcome)).toMatchObject({ code: "rate_limited", message: "Not now." });
  });

  it("can answer a call with an earlier outcome", async () => {
    let kept: Outcome | undefined;
    const answered = await door((next) => (call, done) => {
      if (kept !== undefined) return done(kept);
      next(call, (outcome) => done((kept = outcome)));
    });
    expect(answered.map(({ runs }) => runs)).toEqual([1, 1]);
    expect(resultOf(answered[1].outcome)).toEqual({ run: 1 });
    expect(answered[1].outcome.callId).toBe(answered[0].outcome.callId);
  });

  it("can start a call later, and pass its outcome on later", async () => {
    const answered = await door((next) => (call, done) => {
      setImmediate(() => next(call, (outcome) => setImmediate(() => done(outcome))));
    });
    expect(answered.map(({ outcome }) => resultOf(outcome))).toEqual([{ run: 1 }, { run: 2 }]);
  });
});

describe("the id of a call", () => {
  function tracked() {
    const records: CallRecord[] = [];
    const ids: string[] = [];
    const tool = toolOf({ execute: (_args, { callId }) => void ids.push(callId) });
    const registry = createRegistry({ env: {}, tools: [tool], observer: { onCall: (record) => records.push(record) } });
    return { startCall: createStartCall(registry), records, ids };
  }

  it("may be given, and is what the tool, the observer and the outcome have", async () => {
    const { startCall, records, ids } = tracked();
    const outcome = await outcomeOf(startCall, { name: "tool", arguments: {}, callId: "job_1-a" });
    expect([outcome.callId, ids[0], records[0]?.callId]).toEqual(["job_1-a", "job_1-a", "job_1-a"]);
  });

  it("is new for each call otherwise", async () => {
    const { startCall, ids } = tracked();
    for (let call = 0; call < 3; call++) await outcomeOf(startCall, { name: "tool", arguments: {} });
    expect(new Set(ids).size).toBe(3);
  });

  it.each(["", 'a"b', "a\nb", "a b", "é", "x".repeat(129)])("is refused if it is %j", async (callId) => {
    const { startCall, ids } = tracked();
    const outcome = await outcomeOf(startCall, { name: "tool", arguments: {}, callId });
    expect(errorOf(outcome)).toMatchObject({ code: "bad_request", ran: "no" });
    expect(ids).toEqual([]);
  });
});
