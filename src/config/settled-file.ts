import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How far apart two looks are. */
const pauseMs = 100;
/** A file that is written for longer is taken as it is then. */
const maxLooks = 50;
/** The reader refuses what is larger. */
const maxBytes = 1_048_576;

/**
 * Waits until a file that has changed stays as it is: two looks at it agree. What is looked at while it is written may be
 * half of it, or nothing.
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

/** Its content, or what tells it from another where that is not a text that the reader would take. */
function look(path: string): string {
  try {
    const stats = statSync(path);
    // To read a pipe may take forever.
    if (!stats.isFile() || stats.size > maxBytes) return `\0${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    return readFileSync(path, "utf8");
  } catch (error) {
    return `\0${(error as NodeJS.ErrnoException).code}`;
  }
}
