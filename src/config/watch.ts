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
  /** Watches these from now on, instead of the previous ones. */
  set(watched: WatchedFiles): void;
  end(): void;
}

/** Editors and deployments write a file several times for one change. */
const quietMs = 200;
/** Two snapshots with this time between them must be equal, so that a file is not read while it is written. */
const agreeMs = 100;
/** Something unrelated in the folders may change all the time. */
const longestWaitMs = 2000;

/**
 * Calls `onChange` once after files changed: written, replaced by another file or by a link that leads elsewhere (as
 * Kubernetes updates a mounted config map), added or removed. Changes since the files were read count too.
 *
 * An event of the system only causes a new look, so nothing depends on how the event names a change. Each folder is
 * watched by itself, for the names that matter: Node's `recursive` would go into `node_modules`, and on Linux trips
 * over files that vanish. If the system allows no more watches, changes are not noticed. Never throws, and does not
 * keep the process alive.
 */
export function watchFiles(first: WatchedFiles, onChange: () => void): FileWatch {
  let watched = first;
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let ended = false;
  /** The state of the watched files when they were read, and the watched folders. */
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
    // All watchers are created again: the watcher of a folder that was replaced under the same name gets no events.
    watchers = [...last.folders].flatMap(([path, folder]) => openWatcher(path, folder, lookSoon));
    for (const watcher of before) watcher.close();
    // Something may have changed before the watchers existed.
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

/** The state now, with the marks of the files as they were read. */
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
