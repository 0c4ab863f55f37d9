import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { onTestFinished } from "vitest";
import type { JwtOptions } from "../../src/access/tokens.ts";

export const audience = "https://tools.example";

/** A stand-in for an identity provider: signs tokens, and serves its public keys over HTTP until the test ends. */
export interface TokenIssuer {
  readonly options: JwtOptions;
  /** How often its keys were asked for. */
  readonly asked: number;
  /** What the keys are answered with; undefined is a server that fails. */
  answer: string | undefined;
  /** The public key, as PEM. */
  readonly publicPem: string;
  /** Puts another key in place of the one that it signs with. */
  rotate(alg?: string): Promise<void>;
  /** A good token, but for what the test says. A claim that is undefined is left out. */
  token(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

let keysOfRsa: ReturnType<typeof rsaKeys> | undefined;

/** To make a pair takes a fifth of a second, so that all issuers have the same. */
function rsaKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return (keysOfRsa ??= generateKeyPairSync("rsa", { modulusLength: 2048 }));
}

export async function startIssuer(alg = "ES256"): Promise<TokenIssuer> {
  let asked = 0;
  let generation = 0;
  let signing: { readonly privateKey: CryptoKey | KeyObject; readonly header: JWTHeaderParameters };
  const server = createServer((_request, response) => {
    asked++;
    // In a later turn, so that requests which come together find no keys yet.
    setTimeout(() => response.writeHead(issuer.answer === undefined ? 500 : 200).end(issuer.answer), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const issuer = {
    options: { issuer: url, audience, jwksUrl: `${url}/keys` },
    get asked() {
      return asked;
    },
    answer: undefined as string | undefined,
    publicPem: "",
    async rotate(next = alg) {
      const isRsa = next.startsWith("RS") || next.startsWith("PS");
      const { publicKey, privateKey } = isRsa ? rsaKeys() : await generateKeyPair(next, { extractable: true });
      const kid = `key-${++generation}`;
      signing = { privateKey, header: { alg: next, kid } };
      issuer.answer = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, use: "sig" }] });
      issuer.publicPem = await exportSPKI(publicKey);
    },
    token(claims = {}, header = {}) {
      const payload = { ...goodClaims(url), ...claims } as JWTPayload;
      return new SignJWT(payload).setProtectedHeader({ ...signing.header, ...header }).sign(signing.privateKey);
    },
  };
  await issuer.rotate();
  return issuer;
}

export function goodClaims(issuer: string): Record<string, unknown> {
  return { iss: issuer, aud: audience, sub: "agent-7", exp: Math.floor(Date.now() / 1000) + 600 };
}
