import { afterEach, describe, expect, it, vi } from "vitest";
import type { ToolContext } from "../../../src/tool/tool.ts";
import type { App } from "../../../src/http/app.ts";
import { acceptsStream } from "../../../src/http/routes/accept.ts";
import { sleep } from "../../core/one-tool.ts";
import { appOf, readAnswer } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { openSocket, requestText } from "../node/raw-socket.ts";

afterEach(() => void vi.useRealTimers());

const accept = "text/event-stream";

function stream(
  app: App,
  path = "/tools/tool/invoke",
  body = "{}",
  headers: Record<string, string> = {},
): Response | Promise<Response> {
  return app.request(path, {
    method: "POST",
    headers: { accept, "content-type": "application/json", ...headers },
    body,
  });
}

/** The events of a stream's text: their names and their data, comments left out. */
function eventsIn(text: string): Array<readonly [string, unknown]> {
  const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  return blocks.map((block) => {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return [name, JSON.parse(data)];
  });
}

const talkative = {
  name: "tool",
  execute: async (_args: unknown, context: ToolContext) => {
    context.progress({ progress: 1, total: 2, message: "half\nway" });
    context.log("warn", "careful", { at: 1 });
    await sleep(1);
    context.progress({ progress: 2 });
    return { done: true };
  },
};

describe("a call that accepts text/event-stream", () => {
  it("tells of progress and log entries in their order, and of the outcome last", async () => {
    const response = await stream(appOf([talkative]).app);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(eventsIn(await response.text())).toEqual([
      ["progress", { progress: 1, total: 2, message: "half\nway" }],
      ["log", { level: "warn", message: "careful", fields: { at: 1 } }],
      ["progress", { progress: 2 }],
      ["outcome", { status: "ok", callId: expect.any(String), result: { done: true } }],
    ]);
  });

  it("tells of failure as of success", async () => {
    const parameters = { type: "object", required: ["a"] };
    const { app } = appOf([
      { name: "picky", parameters },
      {
        name: "bad",
        execute: () => {
          throw new Error("secret");
        },
      },
      { name: "slow", timeoutMs: 10, execute: () => new Promise(() => undefined) },
    ]);
    for (const [name, code] of [
      ["picky", "invalid_arguments"],
      ["bad", "tool_failed"],
      ["slow", "timeout"],
    ] as const) {
      const events = eventsIn(await (await stream(app, `/tools/${name}/invoke`)).text());
      expect(events).toEqual([
        ["outcome", expect.objectContaining({ status: "error", error: expect.objectContaining({ code }) })],
      ]);
    }
  });

  it("is answered with JSON where it never became a call", async () => {
    const { app } = appOf([{}]);
    const refused = [
      [await stream(app, "/tools/none/invoke"), 404, "unknown_tool"],
      [await stream(app, "/tools/tool/invoke", "{"), 400, "bad_request"],
      [await stream(app, "/tools/tool/invoke?x=1"), 400, "bad_request"],
      [await stream(app, "/tools/tool/invoke", "{}", { "content-type": "text/plain" }), 415, "unsupported_media_type"],
    ] as const;
    for (const [response, status, code] of refused) {
      expect(response.headers.get("content-type")).toBe("application/json");
      const answer = await readAnswer(response);
      expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
    }
  });

  it("streams where other types are accepted beside it, and an empty body is {}", async () => {
    const response = await appOf([{}]).app.request("/tools/tool/invoke", {
      method: "POST",
      headers: { accept: "application/json;q=0.9, text/event-stream" },
    });
    expect(eventsIn(await response.text())).toEqual([["outcome", expect.objectContaining({ result: {} })]]);
  });

  it("hears what a tool says that is no JSON as nothing, and the outcome all the same", async () => {
    const execute = (_args: unknown, context: ToolContext) => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      context.log("info", "odd", cycle);
      context.progress({ progress: NaN });
      return 1;
    };
    const events = eventsIn(await (await stream(appOf([{ execute }]).app)).text());
    expect(events.at(-1)).toEqual(["outcome", expect.objectContaining({ status: "ok", result: 1 })]);
  });

  it("hears of a log entry all that JSON can say, where one of its fields is none", async () => {
    const execute = (_args: unknown, { log }: ToolContext) => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      log("warn", "odd", { count: 1n as unknown as number, at: 1, cycle, note: "x\ny" });
      return 1;
    };
    const [entry] = eventsIn(await (await stream(appOf([{ execute }]).app)).text());
    expect(entry).toEqual(["log", { level: "warn", message: "odd", fields: { at: 1, note: "x\ny" } }]);
  });
});

describe("Accept", () => {
  it.each([
    "text/event-stream",
    "Text/Event-Stream",
    "application/json;q=0.9, text/event-stream",
    "text/event-stream;q=0.5, */*;q=0.1",
    "text/event-stream ; charset=utf-8;q=1",
    "a/b;q=0,text/event-stream",
  ])("asks for a stream: %s", (value) => expect(acceptsStream(value)).toBe(true));

  it.each([
    "*/*",
    "text/*",
    "application/json",
    "text/event-stream;q=0",
    "application/json, text/event-stream; q=0.000",
    "text/event-stream;Q=0;x=1",
    "text/event-streams",
    "x-text/event-stream",
    'application/json;x="text/event-stream"',
  ])("asks for none: %s", (value) => expect(acceptsStream(value)).toBe(false));
});

it("a comment keeps the stream alive every 15 seconds, and no longer than the call", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let finish: (value: unknown) => void = () => undefined;
  const { app } = appOf([{ execute: () => new Promise((resolve) => void (finish = resolve)) }]);
  const response = await stream(app);
  vi.advanceTimersByTime(14_999);
  vi.advanceTimersByTime(15_001);
  finish("done");
  const text = await response.text();
  expect(text.match(/^: .*\n\n/gm)?.length).toBe(2);
  expect(text.indexOf(":")).toBe(0);
  expect(eventsIn(text).map(([name]) => name)).toEqual(["outcome"]);
  expect(vi.getTimerCount()).toBe(0);
});

/** A tool that tells whether its signal was aborted. */
function createWatched() {
  const watched = { started: 0, aborted: 0 };
  const execute = (_args: unknown, { signal, progress }: ToolContext) => {
    watched.started++;
    progress({ progress: 1 });
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => (watched.aborted++, reject(signal.reason))),
    );
  };
  return { watched, tool: { execute } };
}

describe("a reader of a stream that leaves", () => {
  it("aborts the call, in memory", async () => {
    const { watched, tool } = createWatched();
    const response = await stream(appOf([tool]).app);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(watched).toEqual({ started: 1, aborted: 1 }));
  });

  it("aborts the call, over a socket (H6)", async () => {
    const { watched, tool } = createWatched();
    const { port } = await listenWith([tool]);
    const raw = await openSocket(port);
    raw.send(requestText("POST /tools/tool/invoke", { headers: { accept }, body: "{}" }));
    await raw.until((text) => text.includes("event: progress"));
    raw.socket.destroy();
    await vi.waitFor(() => expect(watched.aborted).toBe(1), { timeout: 10_000 });
  });
});

describe("a reader of a stream that is slow", () => {
  it("misses progress past a bound, but not the outcome", async () => {
    const execute = (_args: unknown, context: ToolContext) => {
      for (let progress = 1; progress <= 20_000; progress++) context.progress({ progress });
      return "done";
    };
    const events = eventsIn(await (await stream(appOf([{ execute }]).app)).text());
    expect(events.length).toBeLessThan(8000);
    expect(events[0]).toEqual(["progress", { progress: 1 }]);
    expect(events.at(-1)).toEqual(["outcome", expect.objectContaining({ result: "done" })]);
  });

  it("does not fill the memory of the service, over a socket (H4)", async () => {
    const message = "x".repeat(10_000);
    let sent = 0;
    const execute = async (_args: unknown, context: ToolContext) => {
      for (; sent < 5000; sent++) {
        context.progress({ progress: sent, message });
        if (sent % 100 === 0) await sleep(0);
      }
      return "done";
    };
    const { port } = await listenWith([{ execute }]);
    const raw = await openSocket(port);
    raw.socket.pause();
    raw.send(requestText("POST /tools/tool/invoke", { headers: { accept }, body: "{}" }));
    await vi.waitFor(() => expect(sent).toBe(5000), { timeout: 5000 });
    raw.socket.resume();
    await raw.until((text) => text.includes("event: outcome"), 5000);
    // 50 MB were told; the reader and the kernel's buffers took some, the service kept no more than its bound.
    expect(raw.text.length).toBeLessThan(20_000_000);
    raw.socket.destroy();
  });
});
