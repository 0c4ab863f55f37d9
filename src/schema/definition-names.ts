/** The last part of a reference or a path, in characters that providers accept in names of definitions; "" for none. */
export function lastPart(path: string): string {
  return path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/[^a-zA-Z0-9_.-]+/g, "_")
    .slice(0, 48);
}

/** The wanted name, with a number behind it if it is taken. */
export function freeName(wanted: string, taken: { has(name: string): boolean }): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
  return name;
}
