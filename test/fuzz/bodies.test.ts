import fc from "fast-check";
import { expect, it } from "vitest";
import { appOf } from "../http/app-in-memory.ts";
import { listenWith } from "../http/listening-app.ts";
import { faultOf } from "./answer-faults.ts";
import { bodies, secretArguments, secretValue, spelledJson } from "./bodies.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { fuzzedTools, maxBodyBytes, secretOfTools, wireAnswerOf } from "./fuzzed-app.ts";
import type { WireAnswer } from "./http-answers.ts";
import { judgeJson } from "./json-verdict.ts";
import { createKeepAlive } from "./keep-alive.ts";
import { arePrototypesChanged } from "./prototypes.ts";

const json = { "content-type": "application/json" };

/** What is wrong with the answer of the tool that echoes, to this body. */
function echoFaultOf(bytes: Uint8Array, answer: WireAnswer): string | undefined {
  const fault = faultOf(answer, [secretOfTools]);
  if (fault !== undefined) return fault;
  const code = answer.headers["toolhost-outcome"];
  if (bytes.length > maxBodyBytes) return code === "body_too_large" ? undefined : `too large, and ${code}`;
  const verdict = judgeJson(bytes);
  const expected = { object: "ok", other: "invalid_arguments", refused: "bad_request" }[verdict];
  if (code !== expected) return `${expected} was expected, and there came ${code}`;
  if (code !== "ok") return undefined;
  const { result } = JSON.parse(answer.body ?? "") as { result: unknown };
  const sent: unknown = JSON.parse(
    Buffer.from(bytes)
      .toString()
      .replace(/^\ufeff/, "") || "{}",
  );
  return JSON.stringify(result) === wellFormed(sent) ? undefined : "the tool was not given what was sent";
}

/** A list of calls around arguments that may break it. */
const callLists = fc
  .tuple(
    fc.constantFrom("echo", "picky", "throws", "nope", "__proto__", "constructor"),
    fc.array(spelledJson(), { maxLength: 3 }),
    fc.constantFrom('"id":1,', '"id":"x",', '"id":{},', '"hash":"sha256:0",', '"hash":null,', ""),
  )
  .map(([name, args, more]) => {
    const calls = args.map((arg) => `{${more}"name":"${name}","arguments":${arg}}`);
    return `{"calls":[${calls.join(",")}]}`;
  });

/** The value as JSON, with U+FFFD for each half of a surrogate pair: the last of keys that become equal is kept. */
function wellFormed(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "string") return member.toWellFormed();
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, each]) => [key.toWellFormed(), each]));
  });
}

it(
  "any body in memory gets an answer of the contract: the tool gets what was sent, or nothing runs",
  async () => {
    const { app } = appOf(fuzzedTools, { maxBodyBytes });
    const echoed = fc.asyncProperty(bodies, async (body) => {
      const response = await app.request("/tools/echo/invoke", { method: "POST", headers: json, body });
      expect(echoFaultOf(body, await wireAnswerOf(response)), JSON.stringify(body.toString())).toBe(undefined);
    });
    await assertFuzzed("bodies in memory", echoed, { commit: 1000, nightly: 400_000 });
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

it(
  "arguments that are refused, repaired or fail with their tool are never told of",
  async () => {
    const { app } = appOf(fuzzedTools);
    const paths = fc.constantFrom("/tools/picky/invoke", "/tools/picky/invoke?repair=true", "/tools/throws/invoke");
    const called = fc.asyncProperty(paths, secretArguments, async (path, body) => {
      // Its reader refuses keys and numbers as ever, and then nothing is told of them either.
      const answer = await wireAnswerOf(await app.request(path, { method: "POST", headers: json, body }));
      expect(faultOf(answer, [secretValue, secretOfTools]), body).toBe(undefined);
    });
    await assertFuzzed("bodies with secrets", called, { commit: 600, nightly: 100_000 });
  },
  fuzzTimeoutMs,
);

it(
  "any list of calls gets an answer for each call, or is refused as a whole",
  async () => {
    const { app } = appOf(fuzzedTools);
    const called = fc.asyncProperty(fc.oneof(callLists, spelledJson()), async (body) => {
      const response = await app.request("/calls", { method: "POST", headers: json, body });
      expect(faultOf(await wireAnswerOf(response), [secretOfTools]), body).toBe(undefined);
    });
    await assertFuzzed("lists of calls", called, { commit: 400, nightly: 100_000 });
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

it(
  "any bodies over connections that are kept get their own answers, in order",
  async () => {
    const { port } = await listenWith(fuzzedTools, { maxBodyBytes });
    const connection = createKeepAlive(port);
    let sent = 0;
    const exchanged = fc.asyncProperty(fc.array(bodies, { minLength: 8, maxLength: 8 }), async (list) => {
      const ids = list.map(() => `body-${++sent}`);
      const requests = list.map((body, index) => requestOf(body, ids[index]!));
      const answers = await connection.exchange(requests);
      for (const [index, answer] of answers.entries()) {
        expect(answer.headers["x-request-id"]).toBe(ids[index]);
        expect(echoFaultOf(list[index]!, answer), JSON.stringify(list[index]!.toString())).toBe(undefined);
      }
    });
    await assertFuzzed("bodies over sockets", exchanged, { commit: 100, nightly: 50_000, inputsPerRun: 8 });
    connection.close();
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

function requestOf(body: Buffer, id: string): Buffer {
  const head = [
    "POST /tools/echo/invoke HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n",
    `x-request-id: ${id}\r\ncontent-length: ${body.length}\r\n\r\n`,
  ];
  return Buffer.concat([Buffer.from(head.join("")), body]);
}
