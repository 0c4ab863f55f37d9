import { hash, timingSafeEqual } from "node:crypto";
import type { Caller } from "../core/caller.ts";
import { createMeter, type MeterOf } from "./rate.ts";
import { createRights, type RightsOptions } from "./rights.ts";

/** A configured key, identified by its hash. */
export interface KeyOptions extends RightsOptions {
  /** A label for people: which key of the configuration this is. */
  readonly name: string;
  /** SHA-256 of the key, 64 hexadecimal digits; `toolhost key` prints it. */
  readonly sha256: string;
  /** Shared by all connections and replies of the key; each call of a batch counts. @default unlimited */
  readonly callsPerMinute?: number | undefined;
  /**
   * Whether the caller sees metrics and the full status; this does not allow any tool.
   * @default true if the key sets neither `tools` nor `readOnly`
   */
  readonly operator?: boolean | undefined;
}

/** Finds the caller of a key by the key's hash. */
export type FindKey = (sha256: string) => Caller | undefined;

const digestLength = 64;

/** SHA-256 in lower-case hexadecimal digits: the id of a caller with a key, and the form in which keys are compared. */
export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * @param apiKeys keys in plain text, which may use every tool
 * @throws Error if a key is empty or not a string, a hash or a limit is malformed, or two keys are the same
 */
export function createKeys(
  apiKeys: readonly string[],
  keys: readonly KeyOptions[],
  meterOf: MeterOf = (_id, callsPerMinute) => createMeter(callsPerMinute),
): FindKey {
  const callers = new Map<string, Caller>();
  // An environment variable that is not set arrives here as undefined.
  if (!apiKeys.every((key: unknown) => typeof key === "string" && key !== "")) {
    throw new TypeError(
      "apiKeys must contain only non-empty strings; check that the environment variable of the key is set",
    );
  }
  for (const id of apiKeys.map(sha256)) callers.set(id, { id, name: `key:${id.slice(0, 8)}`, isOperator: true });
  for (const key of keys) {
    const id = key.sha256.toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(id)) throw new Error(`the key "${key.name}": sha256 must be 64 hexadecimal digits`);
    // It would be undefined which of the two sets of rights applies.
    if (callers.has(id)) throw new Error(`the key "${key.name}" is given twice`);
    callers.set(id, createCaller(id, key, meterOf));
  }
  const known = [...callers.values()].map((caller) => ({ caller, digest: Buffer.from(caller.id, "latin1") }));
  // Shared: the lookup is synchronous, and a new Buffer would cost more than the hash.
  const presented = Buffer.alloc(digestLength);
  return (digest) => {
    presented.write(digest, "latin1");
    let found: Caller | undefined;
    // Every key is compared, by hash and in constant time: the response time reveals nothing about the keys.
    for (const candidate of known) {
      if (timingSafeEqual(candidate.digest, presented)) found = candidate.caller;
    }
    return found;
  };
}

function createCaller(
  id: string,
  { name, callsPerMinute, operator, ...options }: KeyOptions,
  meterOf: MeterOf,
): Caller {
  try {
    const meter = callsPerMinute === undefined ? undefined : meterOf(id, callsPerMinute);
    return { id, name, rights: createRights(options), meter, isOperator: isOperatorKey({ operator, ...options }) };
  } catch (error) {
    throw new Error(`the key ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Whether the callers with a key are operators. */
export function isOperatorKey({
  operator,
  tools,
  readOnly,
}: Pick<KeyOptions, "operator" | "tools" | "readOnly">): boolean {
  return operator ?? (tools === undefined && readOnly === undefined);
}
