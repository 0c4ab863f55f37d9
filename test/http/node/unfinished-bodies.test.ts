import { expect, test } from "vitest";
import { shuttingDown } from "../../../src/http/answer.ts";
import { refuseUnfinishedBodies } from "../../../src/http/node/connections.ts";
import { startIssuer } from "../../access/token-issuer.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, openSocket, requestText } from "./raw-socket.ts";

const headers = { "content-type": "application/json", "content-length": "20" };

test.each(["/tools/echo/invoke", "/calls", "/calls?format=openai"])(
  "a body for %s that came in part while a token was checked is refused too, and runs nothing",
  async (path) => {
    const issuer = await startIssuer();
    let calls = 0;
    const { server, port } = await listenWith([{ name: "echo", execute: () => ++calls }], {
      auth: { jwt: issuer.options },
    });
    const authorization = `Bearer ${await issuer.token()}`;
    const raw = await openSocket(port);
    raw.send(`${requestText(`POST ${path}`, { headers: { ...headers, authorization } })}{`);
    // The keys are not asked for again: this token is checked only once the first one was.
    await fetch(`http://127.0.0.1:${port}/tools`, { headers: { authorization } });
    expect(raw.text).toBe("");
    refuseUnfinishedBodies(server, shuttingDown());
    await raw.until((text) => answersIn(text).length === 1);
    const [answer] = answersIn(raw.text);
    expect([answer?.status, answer?.body]).toEqual([503, expect.stringContaining('"code":"shutting_down"')]);
    raw.send(`"n":1}${" ".repeat(13)}`);
    await fetch(`http://127.0.0.1:${port}/tools`, { headers: { authorization } });
    expect([calls, answersIn(raw.text).length]).toEqual([0, 1]);
    raw.socket.destroy();
  },
);

test("a request whose body has come is not refused, and neither is one that has none", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let started = (): void => undefined;
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const { server, port } = await listenWith([{ name: "wait", execute: () => (started(), held.then(() => "done")) }]);
  const raw = await openSocket(port);
  raw.send(requestText("POST /tools/wait/invoke", { body: "{}" }));
  await hasStarted;
  refuseUnfinishedBodies(server, shuttingDown());
  release();
  await raw.until((text) => answersIn(text).length === 1);
  expect(answersIn(raw.text)[0]).toMatchObject({ status: 200, body: expect.stringContaining('"done"') });
  raw.send(requestText("GET /tools"));
  await raw.until((text) => answersIn(text).length === 2);
  refuseUnfinishedBodies(server, shuttingDown());
  expect(answersIn(raw.text)[1]?.status).toBe(200);
  raw.socket.destroy();
});
