import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { elementTexts, memberText } from "../../json/slice.ts";

/**
 * A value inside a document, which can tell how it was written.
 *
 * A class, because a hostile reply holds millions of them, and its methods must not be made for each.
 */
export class JsonNode {
  readonly value: unknown;
  readonly #root: JsonSource;
  readonly #findText: () => string;
  #text: string | undefined = undefined;
  #elements: Generator<string, undefined> | undefined = undefined;
  /** The element that comes next. */
  #next = 0;

  private constructor(value: unknown, root: JsonSource, findText: () => string) {
    this.value = value;
    this.#root = root;
    this.#findText = findText;
  }

  static rootOf(source: JsonSource): JsonNode {
    return new JsonNode(source.value, source, () => source.text);
  }

  /** The source as it came. Looked for when it is first asked for. */
  text(): string {
    return (this.#text ??= this.#knownText() ?? this.#findText());
  }

  /** @returns undefined where it is no object, or has no such member of its own */
  member(key: string): JsonNode | undefined {
    const { value } = this;
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    return new JsonNode(value[key], this.#root, () => memberText(this.text(), key) ?? "null");
  }

  /** @returns undefined where it is no array, or has no such element */
  at(index: number): JsonNode | undefined {
    const { value } = this;
    if (!Array.isArray(value) || index >= value.length) return undefined;
    return new JsonNode(value[index], this.#root, () => this.#elementText(index));
  }

  /** An array's elements; of what is none there are none. */
  *elements(): Generator<JsonNode, undefined> {
    for (let index = 0; ; index++) {
      const element = this.at(index);
      if (element === undefined) return;
      yield element;
    }
  }

  #knownText(): string | undefined {
    const { spans, text } = this.#root;
    const span = spans?.get(this.value as object);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  }

  /** Goes on where it stopped, so that a walk over all elements reads the array once. */
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
