import { describe, expect, it } from "vitest";
import { type AnswerBody, appOf, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, requestText } from "../node/raw-socket.ts";
import { cpuMs } from "../../cpu-time.ts";
import { sizeOf } from "../../runs.ts";

describe("a body's size", () => {
  const maxBodyBytes = 1000;
  const bodyOf = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;
  const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const head = (fields: string): string =>
    `POST /tools/tool/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${fields}\r\n\r\n`;

  it("may be the limit to the byte, in memory and over a socket, in one length or in chunks (J4)", async () => {
    const { app } = appOf([{}], { maxBodyBytes });
    const { port } = await listenWith([{}], { maxBodyBytes });
    for (const [bytes, status] of [
      [maxBodyBytes, 200],
      [maxBodyBytes + 1, 413],
    ] as const) {
      const text = bodyOf(bytes);
      const answers = [
        await post(app, "/tools/tool/invoke", text),
        await exchangeText(port, head(`content-length: ${bytes}`) + text),
        await exchangeText(port, head("transfer-encoding: chunked") + chunked(text)),
        await exchangeText(port, requestText("POST /tools/t%6fol/invoke", { body: text })),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
    }
  });

  it("counts bytes, not characters", async () => {
    const { app } = appOf([{}], { maxBodyBytes: 20 });
    expect((await post(app, "/tools/tool/invoke", '{"a":"ééé"}')).status).toBe(200);
    expect((await post(app, "/tools/tool/invoke", '{"a":"ééééééé"}')).status).toBe(413);
  });

  it("is refused by what Content-Length says, before the body comes", async () => {
    const { port } = await listenWith([{}], { maxBodyBytes });
    for (const path of ["/tools/tool/invoke", "/calls"]) {
      const start = cpuMs();
      const answer = await exchangeText(port, head("content-length: 10000000000").replace("/tools/tool/invoke", path));
      expect({ path, status: answer.status }).toEqual({ path, status: 413 });
      expect(JSON.parse(answer.body)).toMatchObject({ status: "error", error: { code: "body_too_large", ran: "no" } });
      expect(answer.headers["toolhost-outcome"]).toBe("body_too_large");
      expect(cpuMs() - start).toBeLessThan(1800);
    }
  });

  it("ends the connection where a client goes on sending what was refused", async () => {
    const { port } = await listenWith([{}], { maxBodyBytes });
    for (const path of ["/tools/tool/invoke", "/calls"]) {
      const raw = await openSocket(port);
      raw.send(head("transfer-encoding: chunked").replace("/tools/tool/invoke", path));
      const sending = setInterval(() => raw.send(`400\r\n${"x".repeat(0x400)}\r\n`), 5);
      await raw.until((text) => answersIn(text).length > 0);
      expect(answersIn(raw.text)[0]?.status).toBe(413);
      await raw.closed(2000);
      clearInterval(sending);
      raw.socket.destroy();
    }
  });

  it("ends where Content-Length says, and what is left over is no request", async () => {
    const { port } = await listenWith([{}]);
    for (const [length, body, code] of [
      [2, '{} {"a":1}', "ok"],
      [5, '{"a":1}', "bad_request"],
      [0, '{"a":1}', "ok"],
    ] as const) {
      const raw = await openSocket(port);
      raw.send(head(`content-length: ${length}`) + body);
      await raw.closed();
      const codes = answersIn(raw.text).map((answer) => (JSON.parse(answer.body) as AnswerBody).error?.code ?? "ok");
      expect({ length, codes }).toEqual({ length, codes: [code, "bad_request"] });
      raw.socket.destroy();
    }
  });
});

it("looks at many keys and many items in little time, and tells of 20 issues (J11)", async () => {
  const length = sizeOf(100_000, 20_000);
  const keys = Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index % 10]));
  const parameters = {
    type: "object",
    properties: { items: { type: "array", items: { type: "string" } } },
    additionalProperties: false,
  };
  const { app } = appOf([{ parameters }], { maxBodyBytes: 4_000_000 });
  for (const args of [keys, { items: Array<number>(length).fill(1) }]) {
    const start = cpuMs();
    const { body } = await post(app, "/tools/tool/invoke", JSON.stringify(args));
    expect(cpuMs() - start).toBeLessThan(4500);
    expect(body.error?.code).toBe("invalid_arguments");
    expect(body.error?.issues?.length).toBeLessThanOrEqual(20);
  }
});
