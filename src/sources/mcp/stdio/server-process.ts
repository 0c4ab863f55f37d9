import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { createLineSplitter } from "../../../async/line-splitter.ts";
import { SourceError } from "../../../core/source.ts";
import { UpstreamError } from "../../../errors/errors.ts";
import type { McpServer } from "../setting.ts";
import { keepGroup, killGroup, releaseGroup } from "./children.ts";
import { serverEnvironment } from "./environment.ts";

/** How long a server has to end after its stdin was closed, and then after SIGTERM, in milliseconds. */
const patienceMs = 1000;
/** How long the output of a server that has ended is still read: a process that it started may hold the pipes. */
const lastOutputMs = 200;
const maxErrorLineBytes = 16_384;
/** Bytes that a server has not read yet. */
const maxUnreadBytes = 67_108_864;

export interface ProcessListener {
  /** A line of its stdout. */
  line(text: string): void;
  /** A line of its stderr. */
  errorLine(text: string): void;
  /** Called after some lines were read. @returns for how long nothing more is read, in milliseconds */
  linesRead(count: number): number;
  /** It has ended, or can be of no more use. Called once. */
  ended(reason: string): void;
}

/** A program that runs as a server. */
export interface ServerProcess {
  /** @throws UpstreamError if it does not read what it was sent */
  write(text: string): void;
  /** Ends it: first by closing its stdin. @returns a promise that resolves when it has ended */
  close(): Promise<void>;
  /** Ends it now, and reports the reason. */
  fail(reason: string): void;
}

/** @throws SourceError if the program cannot be started */
export async function startProcess(
  server: McpServer,
  maxLineBytes: number,
  listener: ProcessListener,
): Promise<ServerProcess> {
  const child = await spawned(server);
  const { pid } = child as { readonly pid: number };
  keepGroup(pid);
  let isEnded = false;
  let hasExited = false;
  let onGone: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (onGone = resolve));

  const end = (reason: string): void => {
    if (isEnded) return;
    isEnded = true;
    listener.ended(reason);
  };
  const kill = (signal: NodeJS.Signals): void => {
    if (!hasExited) killGroup(pid, signal);
  };
  const fail = (reason: string): void => {
    end(reason);
    kill("SIGKILL");
  };
  const take = (stream: Readable, count: number): void => {
    const pauseMs = listener.linesRead(count);
    if (pauseMs === 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), pauseMs).unref();
  };
  const lines = createLineSplitter(
    maxLineBytes,
    (line) => listener.line(line.toString("utf8")),
    () => fail(`it wrote a line that is longer than ${maxLineBytes} bytes`),
  );
  const errorLines = createLineSplitter(
    maxErrorLineBytes,
    (line) => listener.errorLine(line.toString("utf8")),
    () => listener.errorLine("(a line that is too long)"),
  );
  child.stdout.on("data", (chunk: Buffer) => {
    if (!isEnded) take(child.stdout, lines.push(chunk));
  });
  // The end of a process closes its stdout before it is reported.
  child.stdout.on("end", () => setTimeout(() => hasExited || fail("it closed its stdout"), patienceMs).unref());
  child.stderr.on("data", (chunk: Buffer) => take(child.stderr, errorLines.push(chunk)));
  // A pipe that breaks is followed by the end of the process.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  const leave = (reason: string): void => {
    errorLines.end();
    end(reason);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    onGone?.();
  };
  child.on("exit", (code, signal) => {
    hasExited = true;
    releaseGroup(pid);
    const reason = signal === null ? `its process ended with exit code ${code}` : `its process was ended by ${signal}`;
    child.on("close", () => leave(reason));
    setTimeout(() => leave(reason), lastOutputMs).unref();
  });

  return {
    write(text) {
      if (child.stdin.writableLength > maxUnreadBytes) {
        throw new UpstreamError("The MCP server does not read its stdin.", { ran: "no" });
      }
      child.stdin.write(text);
    },
    async close() {
      end("it was closed");
      child.stdin.end();
      const timers = [setTimeout(() => kill("SIGTERM"), patienceMs), setTimeout(() => kill("SIGKILL"), 2 * patienceMs)];
      await gone;
      for (const timer of timers) clearTimeout(timer);
    },
    fail,
  };
}

/** Has a process group of its own, so that all that it starts ends with it. */
function spawned({ command = "", args = [], env, cwd }: McpServer): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(new SourceError(whyNot(error), { cause: error }));
    try {
      const child = spawn(command, [...args], { env: serverEnvironment(env), cwd, detached: true, stdio: "pipe" });
      child.once("error", refuse);
      child.once("spawn", () => {
        child.off("error", refuse);
        // A signal that cannot be sent.
        child.on("error", () => undefined);
        resolve(child);
      });
    } catch (error) {
      refuse(error as NodeJS.ErrnoException);
    }
  });
}

function whyNot({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "its command or its working folder (cwd) does not exist";
  if (code === "EACCES") return "its command is not executable";
  return `its command could not be started${code === undefined ? "" : `: ${code}`}`;
}
