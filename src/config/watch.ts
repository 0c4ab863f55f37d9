import { type FSWatcher, watch } from "node:fs";
import { resolve } from "node:path";
import { isVisible } from "./file-mark.ts";
import { hasSameFiles, hasSameFolders, takeSnapshot } from "./file-snapshot.ts";

/** Editors and deployments touch a file several times where they mean one change. */
const quietMs = 200;
/** Where something in the folders changes all the time, for its own reasons. */
const longestWaitMs = 2000;

/**
 * Calls `onChange` once after files change, or files inside folders: written, replaced by another file or by a link that
 * leads elsewhere (as Kubernetes updates a mounted config map), added or removed. A path may be missing and come later.
 *
 * What the system tells is taken as a hint to look again, so that nothing depends on how it names a change. Each folder is
 * watched by itself: Node's `recursive` would go into `node_modules`, and on Linux trips over files that vanish. Where the
 * system grants no more watches, changes go unnoticed. Never throws, and does not keep the process alive.
 * @returns ends it
 */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  const absolute = paths.map((path) => resolve(path));
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let ended = false;
  let last = takeSnapshot(absolute);
  listen();
  return () => {
    ended = true;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };

  function listen(): void {
    const before = watchers;
    // All anew: a folder that was made again under its name looks the same from outside, but its watcher is deaf.
    watchers = [...last.folders].flatMap(([folder, names]) => openWatcher(folder, names, lookSoon));
    for (const watcher of before) watcher.close();
    // Something may have changed before they listened.
    lookSoon();
  }

  function lookSoon(): void {
    if (ended) return;
    const now = performance.now();
    waitingSince ??= now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(quietMs, Math.max(0, waitingSince + longestWaitMs - now)));
    timer.unref();
  }

  function look(): void {
    waitingSince = undefined;
    const current = takeSnapshot(absolute);
    const isChanged = !hasSameFiles(last, current);
    if (!isChanged && hasSameFolders(last, current)) return;
    last = current;
    listen();
    if (isChanged) onChange();
  }
}

/** @param names those that matter, or undefined for all that can be tools */
function openWatcher(folder: string, names: ReadonlySet<string> | undefined, onHint: () => void): FSWatcher[] {
  // Two dots: what stands behind the links of a mounted config map.
  const matters = (name: string): boolean => names?.has(name) ?? (isVisible(name) || name.startsWith(".."));
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || matters(name)) onHint();
    });
    watcher.on("error", onHint);
    return [watcher];
  } catch {
    // The system grants no more watches, or the folder has just gone.
    return [];
  }
}
