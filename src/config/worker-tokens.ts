import { sha256 } from "../access/keys.ts";
import type { WorkersEntry } from "./config-file.ts";
import type { Config, WorkerTokenConfig } from "./config.ts";

/** An entry `workers` of the file, with its place. */
export interface PlacedWorkers {
  readonly entry: WorkersEntry;
  /** Such as `toolhost.yaml: tools[1].workers`. */
  readonly place: string;
}

/** The tokens of all entries. Those in plain text are kept as their hash. */
export function readWorkerTokens(entries: readonly PlacedWorkers[], problems: string[]): WorkerTokenConfig[] {
  const found = entries.flatMap(({ entry: { workers, trustAnnotations = false }, place }) => {
    const { token, tokens = [] } = workers;
    const plain = token === undefined ? [] : [{ name: "workers", sha256: sha256(token) }];
    return [...plain, ...tokens].map((each, index) => ({
      token: { ...each, trustAnnotations },
      place: token === undefined ? `${place}.tokens[${index}]` : `${place}.token`,
    }));
  });
  for (const [index, { token, place }] of found.entries()) {
    const earlier = found.slice(0, index).find((other) => other.token.sha256 === token.sha256);
    if (earlier !== undefined) problems.push(`${place} is the same token as ${earlier.place}`);
  }
  return found.map(({ token }) => token);
}

/** A worker's token is never an API key: each would open what the other protects. */
export function checkWorkerTokens({ workerTokens, apiKeys, auth }: Config, problems: string[]): void {
  const keys = new Set([...apiKeys.map(sha256), ...auth.keys.map((key) => key.sha256)]);
  for (const token of workerTokens) {
    if (keys.has(token.sha256)) problems.push(`the worker token "${token.name}" is an API key too: make another token`);
  }
}
