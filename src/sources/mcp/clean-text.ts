/**
 * Characters that people do not see and models read: controls, format characters such as zero-width spaces, directions and tags, and
 * the selectors that can spell a hidden text. Joiners stay between letters of scripts that need them and in emoji.
 */
const invisible = new RegExp(
  [
    "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F]",
    "(?![\\u200C\\u200D])[\\p{Cf}\\u115F\\u1160\\u3164\\uFFA0\\u034F]",
    "[\\u2028\\u2029\\uFFF0-\\uFFF8\\p{Co}]",
    "[\\uFE00-\\uFE0D\\u{E0100}-\\u{E01EF}]",
    "(?<=[\\uFE0E\\uFE0F])[\\uFE0E\\uFE0F]",
    "(?<![\\u0370-\\u1FFF\\u2190-\\u2BFF\\u2E80-\\uD7FF\\uF900-\\uFE0F\\u{10000}-\\u{DFFFF}])[\\u200C\\u200D]",
    "[\\u200C\\u200D](?![\\u0370-\\u1FFF\\u2190-\\u2BFF\\u2E80-\\uD7FF\\uF900-\\uFDFF\\u{10000}-\\u{DFFFF}])",
  ].join("|"),
  "gu",
);

/** The same text without what only a model would read. */
export function withoutInvisible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(invisible, "");
}
