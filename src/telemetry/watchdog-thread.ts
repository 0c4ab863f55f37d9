import type { Session } from "node:inspector";

/** A tool that the watchdog can name. */
export interface WatchedTool {
  readonly name: string;
  readonly number: number;
  /**
   * The `file:` URL of the folder that contains its code, with `/` at its end. Absent if it has no folder of its own.
   */
  readonly folderUrl?: string | undefined;
}

/** The data with which the thread starts. */
export interface WatchdogData {
  /** The descriptor for lines; a write to it does not block. */
  readonly fd: number;
  readonly blockedMs: number;
  /** Interval at which the main thread gives a sign of life, and at which this thread checks for it. */
  readonly intervalMs: number;
  /** Written by the main thread: its clock at its last sign of life, and the total duration of collections, in ms. */
  readonly life: Int32Array;
  readonly currentTool: Int32Array;
  readonly sameRunBit: number;
  /** Whether lines of the level `warn` are written. */
  readonly warns: boolean;
}

/** The message that is sent when a block has ended. */
export interface BlockEnd {
  /** A name, or `unknown`. */
  readonly tool: string;
  readonly blockedMs: number;
  /** The part of it that was long garbage collections. */
  readonly gcMs: number;
}

/** A time without a sign of life. */
interface Stillness {
  /** The value in `life` when it began. */
  readonly since: number;
  readonly gcMs: number;
  /** Counted by checks that ran on time: if this thread was delayed too, the machine is slow or was asleep. */
  stillMs: number;
  /** The number of the running tool, and how long the same run has lasted. */
  running: number;
  runningMs: number;
  /** Whether it is longer than allowed. */
  isBlock: boolean;
  isAsking: boolean;
  isReported: boolean;
  /** The number of the tool that caused it, 0 if none is known. */
  tool: number;
  /** 0 while it lasts. */
  endedAfterMs: number;
}

/**
 * Runs in the watchdog's thread, from its own source text: it must not use anything from outside itself, and gets
 * Node's modules from the process.
 */
export function watchMainThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { fd, blockedMs, intervalMs, life, currentTool, sameRunBit, warns } = workerData as WatchdogData;
  /** Mean interval between stacks, long enough that they do not all fall into one short turn. */
  const stackPauseMs = 12;
  /** Enough that turns of two tools, half of the time each, are blamed on one of them in less than 1 % of the blocks. */
  const enoughStacks = 12;
  /** Some stacks are empty: between two microtasks no code runs. */
  const maxStacks = 20;
  /** How long the line waits for a name. */
  const answerMs = 3 * intervalMs;
  /** The files of the stack, innermost first. The stack settings of other code are restored afterwards. */
  const stackExpression = `(() => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    Error.stackTraceLimit = 100;
    Error.prepareStackTrace = (error, sites) => sites.map((site) => site.getFileName());
    try {
      return new Error().stack;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      Error.prepareStackTrace = prepareStackTrace;
    }
  })()`;
  let tools: Array<{ name: string; number: number; folders: string[] }> = [];
  let unsent = "";
  let lastLookAt = performance.now();
  let still = begin();

  parentPort?.on("message", (known: readonly WatchedTool[] | number) => {
    if (typeof known === "number") return void setTimeout(() => process.kill(process.pid, "SIGKILL"), known);
    tools = known.map(({ name, number, folderUrl }) => {
      // CommonJS modules are named by their path.
      return { name, number, folders: folderUrl === undefined ? [] : [folderUrl, fileURLToPath(folderUrl)] };
    });
  });
  setInterval(look, intervalMs);

  function begin(): Stillness {
    const counts = { stillMs: 0, running: 0, runningMs: 0, tool: 0, endedAfterMs: 0 };
    const flags = { isBlock: false, isAsking: false, isReported: false };
    return { since: Atomics.load(life, 0), gcMs: Atomics.load(life, 1), ...counts, ...flags };
  }

  function look(): void {
    const at = performance.now();
    const passedMs = Math.min(at - lastLookAt, intervalMs);
    lastLookAt = at;
    if (unsent !== "") send(unsent);
    if (!isStill(still)) {
      if (still.isBlock) end(still);
      still = begin();
      return;
    }
    still.stillMs += passedMs;
    watchRun(still, passedMs);
    if (still.stillMs < blockedMs) return;
    if (!still.isBlock) findTool(still);
    if (!still.isReported && (!still.isAsking || still.stillMs >= blockedMs + answerMs)) reportBlock(still);
  }

  /** Whether one run of a tool continues, or many short ones follow each other. */
  function watchRun(now: Stillness, passedMs: number): void {
    const value = Atomics.load(currentTool, 0);
    if (value !== 0 && value === (now.running | sameRunBit)) {
      now.runningMs += passedMs;
      return;
    }
    now.running = value & ~sameRunBit;
    now.runningMs = 0;
    if (value !== 0) Atomics.compareExchange(currentTool, 0, value, value | sameRunBit);
  }

  function findTool(now: Stillness): void {
    now.isBlock = true;
    if (now.runningMs >= blockedMs / 2) {
      now.tool = now.running;
      return;
    }
    // It runs after an await, which nothing records.
    now.isAsking = true;
    askStacks(now, (number) => {
      now.tool = number;
      now.isAsking = false;
      if (now.endedAfterMs > 0) reportEnd(now);
      else if (!now.isReported) reportBlock(now);
    });
  }

  function isStill(now: Stillness): boolean {
    return Atomics.load(life, 0) === now.since;
  }

  /**
   * Takes a few stacks of the main thread. A debugger's pause would stop it and a CPU profile walks its whole heap;
   * evaluating an expression costs it a millisecond each. This happens between two steps of JavaScript or of a pattern:
   * a thread in native code reaches it when that returns.
   * @param done gets the number of the tool in the stacks, 0 for none
   */
  function askStacks(now: Stillness, done: (number: number) => void): void {
    const owners: number[] = [];
    const askedAt = performance.now();
    let stacks = 0;
    let session: Session;
    try {
      session = new (process.getBuiltinModule("node:inspector").Session)();
      session.connectToMainThread();
      ask();
    } catch {
      done(0); // A Node without the inspector.
    }

    function ask(): void {
      session.post("Runtime.evaluate", { expression: stackExpression, returnByValue: true }, (_error, answer) => {
        const owner = ownerOf(answer?.result.value);
        if (owner !== undefined) owners.push(owner);
        stacks++;
        // It just returned from native code, often at its end: the first stack shows where it was.
        if (stacks === 1 && performance.now() - askedAt > intervalMs) return finish(owner ?? 0);
        if (owners.length === enoughStacks || stacks === maxStacks || !isStill(now)) return finish(mostOf(owners));
        // Random, so that the stacks do not keep step with turns of equal length.
        setTimeout(askAgain, stackPauseMs * (0.4 + 1.2 * Math.random()));
      });
    }

    // The answer to a request within the block arrives before the next sign of life.
    function askAgain(): void {
      if (isStill(now)) ask();
      else finish(mostOf(owners));
    }

    function finish(number: number): void {
      session.disconnect();
      done(number);
    }
  }

  /**
   * @returns the number of the tool whose code is innermost, 0 if the stack belongs to Toolhost or a library, undefined
   * if it contains only Node's code
   */
  function ownerOf(stack: unknown): number | undefined {
    const files = Array.isArray(stack) ? stack.filter((file) => typeof file === "string") : [];
    for (const file of files) {
      const owner = tools.find(({ folders }) => folders.some((folder) => file.startsWith(folder)));
      if (owner !== undefined) return owner.number;
    }
    return files.some((file) => file !== "" && !file.startsWith("node:")) ? 0 : undefined;
  }

  /**
   * The tool in nearly all stacks: many short turns of many tools also make a long block, and then no single tool
   * caused it.
   */
  function mostOf(owners: readonly number[]): number {
    if (owners.length < enoughStacks) return 0;
    const isMost = (one: number): boolean => owners.filter((owner) => owner === one).length >= owners.length * 0.75;
    return owners.find(isMost) ?? 0;
  }

  function reportBlock(now: Stillness): void {
    now.isReported = true;
    if (!warns) return;
    const fields = { tool: nameOf(now.tool), blockedMs: Math.round(now.stillMs), msg: "event loop blocked" };
    send(`${JSON.stringify({ level: "warn", time: new Date().toISOString(), ...fields })}\n`);
  }

  function end(now: Stillness): void {
    // The clock wraps, and so does the difference.
    now.endedAfterMs = (Atomics.load(life, 0) - now.since) | 0;
    if (!now.isAsking) reportEnd(now);
  }

  function reportEnd({ endedAfterMs, gcMs: gcMsBefore, tool }: Stillness): void {
    const gcMs = (Atomics.load(life, 1) - gcMsBefore) | 0;
    const blame = gcMs > endedAfterMs / 2 ? 0 : tool;
    const message: BlockEnd = { tool: nameOf(blame), blockedMs: endedAfterMs, gcMs };
    parentPort?.postMessage(message);
  }

  function nameOf(number: number): string {
    return tools.find((tool) => tool.number === number)?.name ?? "unknown";
  }

  /** A reader that is not ready gets it later; if the reader is gone, the message is lost. */
  function send(line: string): void {
    unsent = "";
    try {
      writeSync(fd, line);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") unsent = line;
    }
  }
}
