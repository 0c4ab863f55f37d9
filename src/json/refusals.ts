/** Something in a document that JSON allows and Toolhost refuses. */
export interface JsonRefusal {
  /** JSON Pointer to the object that contains the key, or to the number. */
  readonly path: string;
  /** Completes "the value at `path` …". */
  readonly reason: string;
}

/** The place and reason of a refusal: `/a has a key twice`. */
export function describeRefusal({ path, reason }: JsonRefusal): string {
  return `${path || "the root"} ${reason}`;
}

/** A place is two levels deep, like a batch's calls: a problem of one must not hide a problem of another. */
const placeDepth = 3;
const maxRefusalsOfPlace = 20;
const maxPlaces = 1000;

/**
 * Collects refusals in the order of the text. It keeps the first ones of each place; if too many places have any, the
 * root is refused instead, and the rest are left out.
 */
export class RefusalList {
  readonly found: JsonRefusal[] = [];
  #places = 0;
  #leftOfPlace = maxRefusalsOfPlace;

  /** Called when a value begins. @param depth its nesting; the root has 1 */
  enter(depth: number): void {
    if (depth <= placeDepth) this.#leftOfPlace = maxRefusalsOfPlace;
  }

  /** @param pathOf called only if the refusal is kept */
  add(depth: number, reason: string, pathOf: () => string): void {
    // A refusal above all places may change which places exist.
    if (depth < placeDepth) this.#leftOfPlace = maxRefusalsOfPlace;
    if (this.#leftOfPlace === maxRefusalsOfPlace && ++this.#places > maxPlaces) {
      if (this.#places === maxPlaces + 1) {
        this.found.push({ path: "", reason: `contains over ${maxPlaces} places with values that are refused` });
      }
      this.#leftOfPlace = 0;
    }
    if (this.#leftOfPlace === 0) return;
    this.#leftOfPlace--;
    this.found.push({ path: pathOf(), reason });
  }
}

/** Why a number or literal, as written, would change its value. */
export function refusedNumber(token: string): string | undefined {
  const value = Number(token);
  if (Number.isNaN(value)) return undefined; // true, false, null
  if (!Number.isFinite(value)) return "is a number that is too large";
  if (!/^-?\d+$/.test(token) || Number.isSafeInteger(value)) return undefined;
  if (BigInt(token) === BigInt(value)) return undefined;
  return "is an integer that cannot be represented exactly; send it as a string if the tool accepts one";
}
