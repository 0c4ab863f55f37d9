import { createHash, randomBytes } from "node:crypto";

/** `toolhost key`: a key of 256 random bits, and the hash that may be kept in its place. */
export async function key(): Promise<number> {
  const made = `th_${randomBytes(32).toString("base64url")}`;
  const sha256 = createHash("sha256").update(made).digest("hex");
  process.stdout.write(`key     ${made}\nsha256  ${sha256}\n`);
  return 0;
}
