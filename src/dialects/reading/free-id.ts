/** A free id derived from the wanted one, which is then marked as taken. */
export function takeFreeId(wanted: string, taken: Set<unknown>): string {
  let id = wanted;
  while (taken.has(id)) id += "_";
  taken.add(id);
  return id;
}
