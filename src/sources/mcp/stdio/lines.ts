/** Splits a stream of bytes into lines of UTF-8 text. */
export interface LineSplitter {
  /** @returns how many lines ended in the chunk */
  push(chunk: Buffer): number;
  /** A last line without a line break. */
  end(): void;
}

/**
 * @param maxBytes the longest line
 * @param onLine called with each line, without its line break
 * @param onTooLong called once for each line that is longer, which is dropped
 */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;

  const add = (part: Buffer): void => {
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
  const finish = (last: Buffer): void => {
    if (parts.length === 0 && !isTooLong && last.byteLength <= maxBytes) return onLine(last.toString("utf8"));
    add(last);
    const line = isTooLong ? undefined : Buffer.concat(parts).toString("utf8");
    parts = [];
    length = 0;
    isTooLong = false;
    if (line !== undefined) onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      let ended = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        finish(chunk.subarray(start, end));
        start = end + 1;
        ended++;
      }
      if (start < chunk.byteLength) add(chunk.subarray(start));
      return ended;
    },
    end() {
      if (length > 0) finish(Buffer.alloc(0));
    },
  };
}
