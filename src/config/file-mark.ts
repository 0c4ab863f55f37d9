import type { Stats } from "node:fs";

/**
 * What distinguishes a file from a later one of the same name, without reading it. The time of its content is not enough:
 * `rsync -t` and `tar --mtime` set it. A folder is identified by when it was made: all else changes with every name in it,
 * including those that do not matter.
 */
export function markOf(stats: Stats): string {
  const { dev, ino, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return stats.isDirectory() ? `${dev}:${ino}:${birthtimeMs}` : `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** What distinguishes the names in a folder from those at another time. */
export function namesMarkOf(names: readonly string[]): string {
  return names.filter(isVisible).toSorted().join("/");
}

/** Whether a tool can be in what is called so. */
export function isVisible(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}
