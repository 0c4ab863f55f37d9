/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  /** @returns how many lines ended in the chunk */
  push(chunk: Uint8Array): number;
  /** A last line without a line break. */
  end(): void;
}

const lineFeed = 10;
const noBytes = new Uint8Array();

/**
 * @param maxBytes the longest line
 * @param onLine called with the bytes of each line, without its line break
 * @param onTooLong called once for each line that is longer, of which nothing is kept
 */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: Buffer) => void,
  onTooLong: () => void,
): LineSplitter {
  let parts: Uint8Array[] = [];
  let length = 0;
  let isTooLong = false;

  const add = (part: Uint8Array): void => {
    if (isTooLong) return;
    length += part.byteLength;
    if (length <= maxBytes) {
      parts.push(part);
      return;
    }
    isTooLong = true;
    parts = [];
    onTooLong();
  };
  const finish = (last: Uint8Array): void => {
    const isWhole = parts.length === 0 && !isTooLong && last.byteLength <= maxBytes;
    if (isWhole) return onLine(Buffer.from(last.buffer, last.byteOffset, last.byteLength));
    add(last);
    const line = isTooLong ? undefined : Buffer.concat(parts);
    parts = [];
    length = 0;
    isTooLong = false;
    if (line !== undefined) onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      let ended = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        finish(chunk.subarray(start, end));
        start = end + 1;
        ended++;
      }
      if (start < chunk.byteLength) add(chunk.subarray(start));
      return ended;
    },
    end() {
      if (length > 0) finish(noBytes);
    },
  };
}
