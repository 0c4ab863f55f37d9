import { type FSWatcher, watch } from "node:fs";
import type { WatchedFiles } from "../core/source.ts";
import { isVisible } from "../files/file-mark.ts";
import {
  changesBetween,
  type FileSnapshot,
  hasSameFolders,
  type SnapshotFolder,
  takeSnapshot,
} from "./file-snapshot.ts";

export interface FileWatch {
  /** Watches these from now on, in place of those before. */
  set(watched: WatchedFiles): void;
  end(): void;
}

/** Editors and deployments write a file several times for one change. */
const quietMs = 200;
/** Two looks with this time between them must agree, so that a file is not read while it is written. */
const agreeMs = 100;
/** Something unrelated in the folders may change all the time. */
const longestWaitMs = 2000;

/**
 * Calls `onChange` once after files changed: written, replaced by another file or by a link that leads elsewhere (as
 * Kubernetes updates a mounted config map), added or removed. What changed between when it was read and now counts too.
 *
 * An event of the system is only a hint to look again, so nothing depends on how it names a change. Each folder is
 * watched by itself, for the names that matter: Node's `recursive` would go into `node_modules`, and on Linux trips over
 * files that vanish. Where the system grants no more watches, changes go unnoticed. Never throws, and does not keep the
 * process alive.
 */
export function watchFiles(first: WatchedFiles, onChange: () => void): FileWatch {
  let watched = first;
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let ended = false;
  /** What is watched as it was when it was read, and the folders that are listened to. */
  let last = baseline(watched);
  /** A change that the next look must find again. */
  let seen: FileSnapshot | undefined;
  listen();
  return {
    set(next) {
      if (ended) return;
      const before = last;
      watched = next;
      last = baseline(watched);
      seen = undefined;
      if (hasSameFolders(before, last)) lookSoon();
      else listen();
    },
    end() {
      ended = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };

  function listen(): void {
    const before = watchers;
    // All anew: a folder that was made again under its name looks the same from outside, but its watcher is deaf.
    watchers = [...last.folders].flatMap(([path, folder]) => openWatcher(path, folder, lookSoon));
    for (const watcher of before) watcher.close();
    // Something may have changed before they listened.
    lookSoon();
  }

  function lookSoon(): void {
    lookIn(quietMs);
  }

  function lookIn(delayMs: number): void {
    if (ended) return;
    const now = performance.now();
    waitingSince ??= now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(delayMs, Math.max(0, waitingSince + longestWaitMs - now)));
    timer.unref();
  }

  function look(): void {
    const current = takeSnapshot(watched);
    const isChanged = changesBetween(last, current).length > 0;
    const isOverdue = performance.now() - (waitingSince ?? 0) >= longestWaitMs;
    const isSettled = isOverdue || (seen !== undefined && changesBetween(seen, current).length === 0);
    if (isChanged && !isSettled) {
      seen = current;
      return lookIn(agreeMs);
    }
    seen = undefined;
    waitingSince = undefined;
    const isElsewhere = !hasSameFolders(last, current);
    last = current;
    if (isElsewhere || isChanged) listen();
    if (isChanged) onChange();
  }
}

/** As it is now, with the marks of what was read. */
function baseline(watched: WatchedFiles): FileSnapshot {
  const { marks, folders } = takeSnapshot(watched);
  const read = [...watched.files, ...watched.folders].flatMap(([path, mark]): [string, string][] =>
    mark === undefined ? [] : [[path, mark]],
  );
  return { marks: new Map([...marks, ...read]), folders };
}

function openWatcher(path: string, { names }: SnapshotFolder, onHint: () => void): FSWatcher[] {
  const matters = (name: string): boolean => names?.has(name) ?? isVisible(name);
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => {
      if (name === null || matters(name)) onHint();
    });
    watcher.on("error", onHint);
    return [watcher];
  } catch {
    // The system grants no more watches, or the folder has just gone.
    return [];
  }
}
