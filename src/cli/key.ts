import { randomBytes } from "node:crypto";
import { sha256 } from "../access/keys.ts";
import { parseFlags } from "../config/flags.ts";
import type { Io } from "./io.ts";

/** `toolhost key`: prints a key of 256 random bits, and the hash that may be stored instead. */
export async function key(args: readonly string[], { out, err }: Io): Promise<number> {
  parseFlags({ args: [...args], options: {} });
  const made = `th_${randomBytes(32).toString("base64url")}`;
  const digest = sha256(made);
  out(`key     ${made}\nsha256  ${digest}\n`);
  // On stderr, apart from the output for programs. Quoted: digits with a single e would be a number.
  err(`\nauth.keys of toolhost.yaml:\n  - { name: agent-a, sha256: "${digest}", tools: ["*"] }\n`);
  return 0;
}
