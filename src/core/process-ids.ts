import { randomBytes } from "node:crypto";

const processPart = randomBytes(6).toString("base64url");

/** Makes ids that no other process makes: random text of this process, the separator and a number. */
export function createIds(separator: string): () => string {
  const start = processPart + separator;
  let count = 0;
  return () => start + (++count).toString(36);
}
