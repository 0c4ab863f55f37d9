import { inTime } from "../../async/in-time.ts";

/** A module whose top level never ends would keep the service from starting. */
const loadLimitMs = 10_000;
/** A module that waits at its top level, for example for a server, delays the others for this time at most. */
const patienceMs = 500;

interface Load {
  /** No other load ran beside it. */
  isAlone: boolean;
  ended: Promise<void>;
}

class LoadTimeout extends Error {
  override readonly name = "LoadTimeout";
}

/** Resolves when the next load may begin. */
let turn: Promise<void> = Promise.resolve();
const running = new Set<Load>();

/**
 * Loads modules one after the other, for all callers: while a package is being imported as an ES module, Node refuses
 * to `require` it, and the tool that does so would be skipped by chance. A module that takes long is no longer waited
 * for; what fails beside another one is loaded again when it is alone.
 * @param load gets false at first, true if it is repeated
 */
export async function loadInTurn<T>(load: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const first: Load = { isAlone: true, ended: Promise.resolve() };
  try {
    return await begin(first, () => load(false));
  } catch (error) {
    if (first.isAlone || error instanceof LoadTimeout) throw error;
    return beginAlone(() => load(true));
  }
}

/** Begins when no other load runs, and no other begins before it has ended. */
function beginAlone<T>(load: () => Promise<T>): Promise<T> {
  const own: Load = { isAlone: true, ended: Promise.resolve() };
  const loading = turn.then(async () => {
    await Promise.all([...running].map(({ ended }) => ended));
    return run(own, load);
  });
  own.ended = loading.then(ignore, ignore);
  turn = own.ended;
  return loading;
}

function begin<T>(own: Load, load: () => Promise<T>): Promise<T> {
  const loading = turn.then(() => run(own, load));
  own.ended = loading.then(ignore, ignore);
  turn = turn.then(() => inTime(own.ended, patienceMs, ignore));
  return loading;
}

async function run<T>(own: Load, load: () => Promise<T>): Promise<T> {
  if (running.size > 0) for (const each of [own, ...running]) each.isAlone = false;
  running.add(own);
  try {
    return await inTime(load(), loadLimitMs, () => {
      throw new LoadTimeout(`its module was not loaded within ${loadLimitMs / 1000} s`);
    });
  } finally {
    running.delete(own);
  }
}

function ignore(): void {}
