import { expect, test } from "vitest";
import { host, hostForAll } from "./scripted.ts";

const answering = hostForAll({ tools: ["answer"] });

const stacks: [string, string, string][] = [
  [
    "JavaScript",
    "TypeError: x is not a function\n    at run (/srv/server/dist/index.js:12:3)\n    at async Promise.all (index 0)\n    at /srv/server/a.js:1:2\n    at new Promise (<anonymous>)\n    at file:///srv/server/b.mjs:3:4",
    "TypeError: x is not a function",
  ],
  [
    "JavaScript with a cause",
    "Error: failed\n    at run (/srv/a.js:1:2) {\n  [cause]: Error: inner\n      at f (/srv/b.js:3:4)\n}",
    "Error: failed",
  ],
  [
    "a module that is missing",
    "Cannot find module 'x'\nRequire stack:\n- /srv/server/a.js\n- /srv/b.cjs",
    "Cannot find module 'x'",
  ],
  [
    "Python",
    'Error executing tool:\nTraceback (most recent call last):\n  File "/srv/server.py", line 3, in run\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero',
    "Error executing tool:\nZeroDivisionError: division by zero",
  ],
  [
    "Java",
    "java.lang.IllegalStateException: bad\n\tat com.example.Tool.run(Tool.java:12)\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n\t... 12 more",
    "java.lang.IllegalStateException: bad",
  ],
  [
    "C#",
    "System.Exception: bad\n   at Tools.Run(String name) in C:\\srv\\Tools.cs:line 12\n   at Program.Main()",
    "System.Exception: bad",
  ],
  ["Go", "panic: bad\n\ngoroutine 1 [running]:\nmain.run(...)\n\t/srv/main.go:12 +0x1d", "panic: bad"],
  ["Ruby", "bad (RuntimeError)\n/srv/tool.rb:3:in `run'\n\tfrom /srv/main.rb:9:in `<main>'", "bad (RuntimeError)"],
];

test.each(stacks)("a stack of %s reaches no model, and the words beside it do", async (_language, text, words) => {
  const hosted = answering();
  const failed = { isError: true, content: [{ type: "text", text }] };
  for (const args of [{ error: { code: -32603, message: text } }, { result: failed }]) {
    const outcome = await hosted.call("answer", args);
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(words) as string } });
    expect(JSON.stringify(outcome)).not.toMatch(/srv/);
  }
});

test.each([
  "No flight\n  at 12:30 (gate 7)\nis left.",
  "- /home is full",
  'File "a.txt", line 3, in the list\n    is empty',
  "ENOENT: no such file, open '/data/a.txt'",
])("words that look like one stay: %s", async (text) => {
  const hosted = answering();
  const outcome = await hosted.call("answer", { result: { isError: true, content: [{ type: "text", text }] } });
  expect(outcome).toMatchObject({ error: { message: text } });
});

test("a source that answers the handshake with a stack has its words as the reason", async () => {
  const message = "No licence.\n    at check (/srv/server/licence.js:1:2)";
  const hosted = await host({ refuseHandshake: { code: -32000, message }, tools: ["one"] });
  expect(hosted.status().reason).toBe("it answered with the error -32000: No licence.");
});
