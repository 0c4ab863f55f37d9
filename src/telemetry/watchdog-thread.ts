import type { Session } from "node:inspector";

/** A tool as the watchdog knows it. */
export interface WatchedTool {
  readonly name: string;
  readonly number: number;
  /** The `file:` URL of the folder that holds its code, `/` at its end. Absent where it has none of its own. */
  readonly folderUrl?: string | undefined;
}

/** What the thread starts with. */
export interface WatchdogData {
  /** Where lines go; a write to it does not block. */
  readonly fd: number;
  readonly blockedMs: number;
  /** How often the main thread gives a sign of life, and how often this one looks for it. */
  readonly intervalMs: number;
  /** Written by the main thread: its clock at its last sign of life, and how long collections took so far, in ms. */
  readonly life: Int32Array;
  readonly currentTool: Int32Array;
  readonly sameRunBit: number;
  /** Whether lines of the level `warn` are written. */
  readonly tells: boolean;
}

/** What it sends when a block has ended. */
export interface BlockEnd {
  /** A name, or `unknown`. */
  readonly tool: string;
  readonly blockedMs: number;
  /** How much of that were long garbage collections. */
  readonly gcMs: number;
}

/** A time without a sign of life. */
interface Stillness {
  /** What stood in `life` when it began. */
  readonly since: number;
  readonly gcMs: number;
  /** Counted in looks that came on time: where this thread was kept waiting too, the machine is slow or was asleep. */
  stillMs: number;
  /** The tool that runs, by number, and for how long it has been one run of it. */
  running: number;
  runningMs: number;
  /** It is longer than is allowed. */
  isBlock: boolean;
  isAsking: boolean;
  isTold: boolean;
  /** The number of the tool that is to blame, 0 where none is known. */
  tool: number;
  /** 0 while it lasts. */
  endedAfterMs: number;
}

/**
 * Runs in the watchdog's thread, from its own source text: it may use nothing from outside of itself, and gets Node's
 * modules from the process.
 */
export function watchMainThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { fd, blockedMs, intervalMs, life, currentTool, sameRunBit, tells } = workerData as WatchdogData;
  /** So far apart that they do not all fall into one short turn. */
  const stackPauseMs = 25;
  const enoughStacks = 5;
  /** Some show nothing: between two microtasks there is no code of anybody. */
  const maxStacks = 10;
  /** How long the line waits for a name. */
  const answerMs = 3 * intervalMs;
  /** The files of the stack, innermost first. What others have set for stacks holds again after it. */
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
    const flags = { isBlock: false, isAsking: false, isTold: false };
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
    if (!still.isTold && (!still.isAsking || still.stillMs >= blockedMs + answerMs)) tellBlock(still);
  }

  /** Whether one run of a tool goes on, or many short ones do. */
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
    // It runs after an await, where nobody keeps account.
    now.isAsking = true;
    askStacks(now, (number) => {
      now.tool = number;
      now.isAsking = false;
      if (now.endedAfterMs > 0) tellEnd(now);
      else if (!now.isTold) tellBlock(now);
    });
  }

  function isStill(now: Stillness): boolean {
    return Atomics.load(life, 0) === now.since;
  }

  /**
   * Takes a few stacks of the main thread. A debugger's pause would stop it and a CPU profile walks its whole heap; to
   * evaluate an expression costs it a millisecond each. That is done between two steps of JavaScript or of a pattern: a
   * thread in native code comes to it when that returns.
   * @param done gets the number of the tool that they show, 0 for none
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
      done(0); // A Node without its inspector.
    }

    function ask(): void {
      session.post("Runtime.evaluate", { expression: stackExpression, returnByValue: true }, (_error, answer) => {
        const owner = ownerOf(answer?.result.value);
        if (owner !== undefined) owners.push(owner);
        stacks++;
        // Coming back from native code, often to its end: what it shows first is what it was in.
        if (stacks === 1 && performance.now() - askedAt > intervalMs) return finish(owner ?? 0);
        if (owners.length === enoughStacks || stacks === maxStacks || !isStill(now)) return finish(mostOf(owners));
        setTimeout(askAgain, stackPauseMs);
      });
    }

    // The answer to what is asked within the block comes before the next sign of life.
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
   * @returns the number of the tool whose code is innermost, 0 where the stack is Toolhost's or a library's, undefined
   * where it is Node's alone
   */
  function ownerOf(stack: unknown): number | undefined {
    const files = Array.isArray(stack) ? stack.filter((file) => typeof file === "string") : [];
    for (const file of files) {
      const owner = tools.find(({ folders }) => folders.some((folder) => file.startsWith(folder)));
      if (owner !== undefined) return owner.number;
    }
    return files.some((file) => file !== "" && !file.startsWith("node:")) ? 0 : undefined;
  }

  /** The tool in nearly all stacks: many short turns of many tools make a long block too, and none of them did it. */
  function mostOf(owners: readonly number[]): number {
    if (owners.length < enoughStacks) return 0;
    const isMost = (one: number): boolean => owners.filter((owner) => owner === one).length >= owners.length * 0.75;
    return owners.find(isMost) ?? 0;
  }

  function tellBlock(now: Stillness): void {
    now.isTold = true;
    if (!tells) return;
    const fields = { tool: nameOf(now.tool), blockedMs: Math.round(now.stillMs), msg: "event loop blocked" };
    send(`${JSON.stringify({ level: "warn", time: new Date().toISOString(), ...fields })}\n`);
  }

  function end(now: Stillness): void {
    // The clock wraps, and so does the difference.
    now.endedAfterMs = (Atomics.load(life, 0) - now.since) | 0;
    if (!now.isAsking) tellEnd(now);
  }

  function tellEnd({ endedAfterMs, gcMs: gcMsBefore, tool }: Stillness): void {
    const gcMs = (Atomics.load(life, 1) - gcMsBefore) | 0;
    const blame = gcMs > endedAfterMs / 2 ? 0 : tool;
    const message: BlockEnd = { tool: nameOf(blame), blockedMs: endedAfterMs, gcMs };
    parentPort?.postMessage(message);
  }

  function nameOf(number: number): string {
    return tools.find((tool) => tool.number === number)?.name ?? "unknown";
  }

  /** Where nobody takes it now, it waits; where its reader is gone, there is nobody to tell. */
  function send(line: string): void {
    unsent = "";
    try {
      writeSync(fd, line);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") unsent = line;
    }
  }
}
