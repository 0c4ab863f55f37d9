import { randomBytes } from "node:crypto";
import { sha256 } from "../access/keys.ts";

/** `toolhost key`: a key of 256 random bits, and the hash that may be kept in its place. */
export async function key(): Promise<number> {
  const made = `th_${randomBytes(32).toString("base64url")}`;
  const digest = sha256(made);
  process.stdout.write(`key     ${made}\nsha256  ${digest}\n`);
  // Beside what programs read. In quotes: digits with one e among them would be a number.
  process.stderr.write(`\nauth.keys of toolhost.yaml:\n  - { name: agent-a, sha256: "${digest}", tools: ["*"] }\n`);
  return 0;
}
