// Offers calls at a rate, whatever becomes of them: node --import tsx test/load/open-loop.ts <plan as JSON>
// Prints one line of JSON. A process of its own, and as cheap as it gets: no request object, no parser, no promise a call.
import { connect, type Socket } from "node:net";
import { callBytes } from "./loaded-service.ts";
import { percentile } from "./load-report.ts";

export interface OpenLoopPlan {
  readonly port: number;
  readonly tool: string;
  readonly args: object;
  readonly callsPerSecond: number;
  readonly seconds: number;
}

export interface OpenLoopFigures {
  /** Calls that were due, sent or not. */
  readonly sent: number;
  readonly ok: number;
  /** By outcome, those that succeeded left out. */
  readonly refused: Readonly<Record<string, number>>;
  /** Refusals without a Retry-After. */
  readonly withoutRetryAfter: number;
  readonly unanswered: number;
  /** How late calls were sent at worst, for want of a connection or of this process's own time. */
  readonly worstLagMs: number;
  /** From when the call was due: a generator that is held up hides nothing. */
  readonly okMs: Latencies;
  /** From when the call was sent. */
  readonly refusedMs: Latencies;
}

/** In milliseconds. */
export interface Latencies {
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

interface Connection {
  readonly socket: Socket;
  dueAt: number;
  sentAt: number;
  text: string;
}

const patienceMs = 5000;
/** Far more than calls that run at once. With more, a moment's stall is answered by a storm of connections. */
const maxSockets = 600;

if (process.argv[2] !== undefined) run(JSON.parse(process.argv[2]) as OpenLoopPlan);

function run({ port, tool, args, callsPerSecond, seconds }: OpenLoopPlan): void {
  const bytes = callBytes(tool, args);
  const total = callsPerSecond * seconds;
  const idle: Connection[] = [];
  const okMs: number[] = [];
  const refusedMs: number[] = [];
  const refused: Record<string, number> = {};
  let withoutRetryAfter = 0;
  /** Calls that are due; those from `sent` on wait for a connection. */
  let due = 0;
  let sent = 0;
  let answered = 0;
  let failed = 0;
  let sockets = 0;
  let worstLagMs = 0;
  const startedAt = performance.now();
  tick();

  function tick(): void {
    const now = performance.now();
    due = Math.min(total, Math.floor(((now - startedAt) * callsPerSecond) / 1000));
    while (sent < due) {
      const connection = idle.pop() ?? (sockets < maxSockets ? open() : undefined);
      if (connection === undefined) break;
      send(connection, now);
    }
    const isOver = answered + failed >= total || now - startedAt > seconds * 1000 + patienceMs;
    if (isOver) return report();
    setTimeout(tick, 1);
  }

  function send(connection: Connection, now: number): void {
    connection.dueAt = startedAt + (sent++ * 1000) / callsPerSecond;
    connection.sentAt = now;
    connection.text = "";
    worstLagMs = Math.max(worstLagMs, now - connection.dueAt);
    connection.socket.write(bytes);
  }

  function open(): Connection {
    sockets++;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const connection: Connection = { socket, dueAt: 0, sentAt: 0, text: "" };
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => receive(connection, text));
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets--;
      const place = idle.indexOf(connection);
      if (place !== -1) idle.splice(place, 1);
      else if (!isAnswered(connection.text)) failed++;
    });
    return connection;
  }

  function receive(connection: Connection, chunk: string): void {
    const text = connection.text === "" ? chunk : connection.text + chunk;
    connection.text = text;
    if (!isAnswered(text)) return;
    answered++;
    const now = performance.now();
    const outcome = headerIn(text, "toolhost-outcome");
    if (outcome === "ok") okMs.push(now - connection.dueAt);
    else {
      refusedMs.push(now - connection.sentAt);
      refused[outcome] = (refused[outcome] ?? 0) + 1;
      if (headerIn(text, "retry-after") === "") withoutRetryAfter++;
    }
    if (headerIn(text, "connection") === "close") connection.socket.destroy();
    else if (sent < due) send(connection, now);
    else idle.push(connection);
  }

  function report(): void {
    const figures: OpenLoopFigures = {
      sent: due,
      ok: okMs.length,
      refused,
      withoutRetryAfter,
      unanswered: due - answered,
      worstLagMs,
      okMs: latencies(okMs),
      refusedMs: latencies(refusedMs),
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
  }
}

function isAnswered(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  return head !== -1 && text.length >= head + 4 + Number(headerIn(text, "content-length"));
}

/** A header's value, or an empty text. By hand: a pattern a call would cost more than the call. */
function headerIn(text: string, name: string): string {
  let at = text.indexOf(`\r\n${name}: `);
  if (at === -1) at = text.indexOf(`\r\n${name[0]!.toUpperCase()}${name.slice(1)}: `);
  return at === -1 ? "" : text.slice(at + name.length + 4, text.indexOf("\r\n", at + 2));
}

function latencies(values: number[]): Latencies {
  const sorted = Float64Array.from(values).sort();
  return { median: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), worst: percentile(sorted, 1) };
}
