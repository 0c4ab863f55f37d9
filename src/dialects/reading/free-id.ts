/** An id that is not taken, made of the wanted one. Takes it. */
export function takeFreeId(wanted: string, taken: Set<unknown>): string {
  let id = wanted;
  while (taken.has(id)) id += "_";
  taken.add(id);
  return id;
}
