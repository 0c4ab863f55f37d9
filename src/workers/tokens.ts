import { readBearer } from "../access/authenticate.ts";
import type { Authenticate } from "../access/authenticate.ts";
import { createKeys, sha256 } from "../access/keys.ts";
import { unauthorized } from "../access/refused-credential.ts";
import { createNameTest } from "../access/rights.ts";

/** A token with which workers register, as the configuration names it. */
export interface WorkerToken {
  /** A label for people. */
  readonly name: string;
  /** SHA-256 of the token, 64 hexadecimal digits. */
  readonly sha256: string;
  /** The names of the tools that its workers may offer; `*` matches any characters. @default every tool */
  readonly tools?: readonly string[] | undefined;
  /** Whether the annotations of its tools count for keys, retries and repeated runs. @default false */
  readonly trustAnnotations?: boolean | undefined;
}

/** What the workers of a token may do. */
export interface TokenRights {
  readonly trustsAnnotations: boolean;
  /** Equal for equal rights: workers register again when they change. */
  readonly key: string;
  mayOffer(tool: string): boolean;
}

export interface WorkerTokens {
  /** Finds the token by the value of `Authorization`: the caller's `id` is its hash. @throws CallError `unauthorized` */
  readonly authenticate: Authenticate;
  /** The rights of a token, by its hash. Undefined if the configuration does not name it any more. */
  rightsOf(id: string): TokenRights | undefined;
}

/** @throws Error if a hash is malformed, or a token is given twice */
export function createTokens(tokens: readonly WorkerToken[]): WorkerTokens {
  const find = createKeys(
    [],
    tokens.map(({ name, sha256: hash }) => ({ name, sha256: hash })),
  );
  const rights = new Map(tokens.map((token) => [token.sha256.toLowerCase(), rightsOf(token)]));
  return {
    authenticate(authorization) {
      const credential = readBearer(authorization);
      // Hashed and compared even without a credential: every refusal takes the same time.
      const token = find(sha256(credential ?? ""));
      if (credential !== undefined && token !== undefined) return token;
      throw unauthorized("worker token", credential === undefined ? undefined : "the token is not a worker's token");
    },
    rightsOf: (id) => rights.get(id),
  };
}

function rightsOf({ tools = ["*"], trustAnnotations = false }: WorkerToken): TokenRights {
  const tests = tools.map(createNameTest);
  return {
    trustsAnnotations: trustAnnotations,
    key: JSON.stringify([tools, trustAnnotations]),
    mayOffer: (tool) => tests.some((test) => test(tool)),
  };
}
