import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Time between two reads. */
const pauseMs = 100;
/** After this number of reads, a file that still changes is used as it is. */
const maxLooks = 50;
/** The reader refuses a larger file. */
const maxBytes = 1_048_576;

/**
 * Waits until a file that has changed stays the same: two reads in a row give the same content. A file that is read
 * while it is written may be incomplete or empty.
 * @param text what it contained before
 */
export async function settleFile(path: string, text: string): Promise<void> {
  let last = look(path);
  for (let looks = 0; last !== text && looks < maxLooks; looks++) {
    await sleep(pauseMs);
    const current = look(path);
    if (current === last) return;
    last = current;
  }
}

/** @returns its content, or a mark of it if the reader would refuse it */
function look(path: string): string {
  try {
    const stats = statSync(path);
    // Reading a pipe may never end.
    if (!stats.isFile() || stats.size > maxBytes) return `\0${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    return readFileSync(path, "utf8");
  } catch (error) {
    return `\0${(error as NodeJS.ErrnoException).code}`;
  }
}
