import { isUtf8 } from "node:buffer";

/** A line of the client, or why it cannot be read. */
export type Line = { readonly text: string } | { readonly fault: string };

const lineFeed = 10;

/** The lines of a stream of bytes, without their ends. Nothing is kept of a line of over `maxBytes`. */
export async function* linesOf(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const end = (): Line => {
    const line: Line = length > maxBytes ? { fault: `The line is longer than ${maxBytes} bytes.` } : decode(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, at));
      yield end();
      start = at + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield end();
}

function decode(parts: readonly Uint8Array[]): Line {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return isUtf8(bytes) ? { text: Buffer.from(bytes).toString("utf8") } : { fault: "The line is not UTF-8." };
}
