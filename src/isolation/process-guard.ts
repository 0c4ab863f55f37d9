/** What ends this process, as Node made it. */
export interface ProcessEnd {
  exit(code: number): never;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Takes the end of the process out of the hands of tools: `process.exit`, `reallyExit`, `abort` and signals to the process
 * itself throw, so that the call fails and the others go on. It stops what is done in passing, not code that means harm.
 * @returns the ways that are left, for the service itself
 */
export function guardProcess(): ProcessEnd {
  const { exit } = process;
  // `process.exit` calls it, wherever it was kept before.
  const internal = process as unknown as { reallyExit: unknown };
  const { reallyExit } = internal;
  const kill = guardKill();
  process.exit = () => refuse("process.exit");
  process.abort = () => refuse("process.abort");
  internal.reallyExit = () => refuse("process.reallyExit");
  return {
    exit(code) {
      internal.reallyExit = reallyExit;
      return exit.call(process, code);
    },
    kill: (signal) => void kill.call(process, process.pid, signal),
  };
}

/**
 * Refuses signals to this process and to all of its group; signal 0 only asks whether a process is there. A thread ends
 * alone by `process.exit`, but would end all by a signal.
 * @returns `process.kill` as it was
 */
export function guardKill(): typeof process.kill {
  const { kill } = process;
  process.kill = (pid, signal) => {
    const isOwn = [process.pid, -process.pid, 0, -1].includes(Number(pid));
    return isOwn && signal !== 0 ? refuse("process.kill") : kill.call(process, pid, signal);
  };
  return kill;
}

function refuse(what: string): never {
  throw new Error(`a tool called ${what}`);
}
