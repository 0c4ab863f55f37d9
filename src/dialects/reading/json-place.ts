import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { elementTexts, memberText } from "../../json/slice.ts";

/**
 * A value inside a document, with the text that it was parsed from.
 *
 * A class, because a hostile reply contains millions of them, and closures for each would cost too much.
 */
export class JsonNode {
  readonly value: unknown;
  readonly #root: JsonSource;
  readonly #findText: () => string;
  #text: string | undefined = undefined;
  #elements: Generator<string, undefined> | undefined = undefined;
  /** The index of the next element. */
  #next = 0;

  private constructor(value: unknown, root: JsonSource, findText: () => string) {
    this.value = value;
    this.#root = root;
    this.#findText = findText;
  }

  static rootOf(source: JsonSource): JsonNode {
    return new JsonNode(source.value, source, () => source.text);
  }

  /** The unchanged source text. Searched on first use. */
  text(): string {
    return (this.#text ??= this.#knownText() ?? this.#findText());
  }

  /** @returns undefined if it is not an object, or has no such own member */
  member(key: string): JsonNode | undefined {
    const { value } = this;
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    return new JsonNode(value[key], this.#root, () => memberText(this.text(), key) ?? "null");
  }

  /** @returns undefined if it is not an array, or has no such element */
  at(index: number): JsonNode | undefined {
    const { value } = this;
    if (!Array.isArray(value) || index >= value.length) return undefined;
    return new JsonNode(value[index], this.#root, () => this.#elementText(index));
  }

  /** The elements of an array; none if it is not an array. */
  *elements(): Generator<JsonNode, undefined> {
    for (let index = 0; ; index++) {
      const element = this.at(index);
      if (element === undefined) return;
      yield element;
    }
  }

  #knownText(): string | undefined {
    return this.#root.textOf?.(this.value as object);
  }

  /** Continues at its last position, so that a loop over all elements reads the array once. */
  #elementText(index: number): string {
    if (this.#elements === undefined || index < this.#next) {
      this.#elements = elementTexts(this.text());
      this.#next = 0;
    }
    for (;;) {
      const { value } = this.#elements.next();
      if (this.#next++ === index || value === undefined) return value ?? "null";
    }
  }
}
