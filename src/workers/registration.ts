import { CallError } from "../errors/errors.ts";
import { isJsonObject } from "../json/object.ts";
import { bounds } from "./bounds.ts";

/** The body of `POST /workers`, before its tools are read. */
export interface Registration {
  readonly name: string;
  /** `Infinity` if the worker does not say how many calls it runs at once. */
  readonly concurrency: number;
  readonly tools: readonly unknown[];
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** @throws CallError `bad_request`, `body_too_large` */
export function readRegistration(body: unknown): Registration {
  if (!isJsonObject(body)) throw malformed('it must be an object with "name" and "tools"');
  const { name, tools } = body;
  // Encoders of some languages write null for what has no value.
  const concurrency = body["concurrency"] ?? Infinity;
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw malformed('"name" must be 1 to 64 characters of a-z, A-Z, 0-9, _ and -');
  }
  if (!Array.isArray(tools)) throw malformed('"tools" must be an array');
  if (tools.length > bounds.toolsOfWorker) {
    throw new CallError("body_too_large", `A worker may offer ${bounds.toolsOfWorker} tools at most.`);
  }
  if (concurrency !== Infinity && !isCount(concurrency)) {
    throw malformed(`"concurrency" must be a whole number from 1 to ${bounds.concurrency}`);
  }
  return { name, concurrency: concurrency as number, tools: tools as readonly unknown[] };
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= bounds.concurrency;
}

function malformed(problem: string): CallError {
  return new CallError("bad_request", `The registration is not valid: ${problem}.`);
}
