import { type RecordedDialect, recordedText } from "./recorded-turn.ts";

const ids = /"((?:call|toolu|srvtoolu|fc|ctc|rs|msg|resp|ws|prog)_\w+|(?:chatcmpl|resp)-\w+)"(?!\s*:)/g;
const signatures = /("(?:thoughtSignature|thought_signature|signature|encrypted_content)":\s*")([^"]+)"/g;

/** A recorded turn with ids and signatures that no other one has: a provider gives none of them twice. */
export function freshTurn(dialect: RecordedDialect, name: string, number: number): Record<string, unknown> {
  const text = recordedText(dialect, name)
    .replace(ids, (_, id) => `"${id}_${number}"`)
    .replace(signatures, (_, head, signature) => `${head}${signature}${number}"`);
  return JSON.parse(text) as Record<string, unknown>;
}
