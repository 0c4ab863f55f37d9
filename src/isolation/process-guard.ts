/** The functions that end this process, as Node provides them. */
export interface ProcessEnd {
  exit(code: number): never;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Prevents tools from ending the process: `process.exit`, `reallyExit`, `abort` and signals to the process itself
 * throw, so that the call fails and others continue. It stops accidental use, not malicious code.
 * @returns the original functions, for the service itself
 */
export function guardProcess(): ProcessEnd {
  const { exit } = process;
  // `process.exit` calls it, even from a reference that was kept before.
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
 * Refuses signals to this process and to its whole group; signal 0 only checks whether a process exists. In a thread,
 * `process.exit` ends only the thread, but a signal would end the process.
 * @returns the original `process.kill`
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
  throw new Error(`a tool tried to call ${what}`);
}
