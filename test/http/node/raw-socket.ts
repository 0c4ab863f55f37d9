import { connect, type Socket } from "node:net";

/** A client that sends whatever bytes a test wants, and shows what came back. */
export interface RawSocket {
  readonly socket: Socket;
  /** Everything that came so far. */
  readonly text: string;
  send(bytes: string | Uint8Array): void;
  /** Waits until what came fulfils the condition. @throws Error with what came, where it does not in time */
  until(condition: (text: string) => boolean, withinMs?: number): Promise<string>;
  /** Waits until the other side has ended the connection. */
  closed(withinMs?: number): Promise<string>;
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Stays half open when the service ends its side, as a client may that never looks. */
export async function openSocket(port: number): Promise<RawSocket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  let ended = false;
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => void (text += chunk));
  socket.on("end", () => void (ended = true));
  socket.on("close", () => void (ended = true));
  socket.on("error", () => void (ended = true));
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));

  const until = async (condition: () => boolean, withinMs: number): Promise<string> => {
    const giveUpAt = performance.now() + withinMs;
    while (!condition()) {
      if (performance.now() > giveUpAt) throw new Error(`It did not happen within ${withinMs} ms. There came: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return text;
  };
  return {
    socket,
    get text() {
      return text;
    },
    send: (bytes) => void socket.write(bytes),
    until: (condition, withinMs = 30_000) => until(() => condition(text), withinMs),
    closed: (withinMs = 30_000) => until(() => ended, withinMs),
  };
}

/** A request as HTTP/1.1 writes it, with the length of its body where there is one. */
export function requestText(
  line: string,
  { headers = {}, body = "" }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): string {
  const length =
    body === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  const all = { host: "127.0.0.1", ...length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** The complete answers in what came: each has a content-length, no body, or all that came before the connection closed. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return answers;
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const after = rest.slice(end + 4);
    const length = Number(headers["content-length"] ?? (headers["connection"] === "close" ? after.length : 0));
    if (after.length < length) return answers;
    answers.push({ status: Number(first.split(" ")[1]), headers, body: after.slice(0, length) });
    rest = after.slice(length);
  }
}

/** Sends one request on a connection of its own and waits for the answer to it. */
export async function exchangeText(port: number, request: string | Uint8Array, withinMs?: number): Promise<RawAnswer> {
  const raw = await openSocket(port);
  try {
    raw.send(request);
    await raw.until((text) => answersIn(text).length > 0, withinMs);
    return answersIn(raw.text)[0]!;
  } finally {
    raw.socket.destroy();
  }
}
