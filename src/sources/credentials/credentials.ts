import { SourceError } from "../../core/source.ts";
import { isHeaderName } from "../request/header-names.ts";
import { encodeCookie, encodeText } from "../request/encode.ts";
import type { HeaderField } from "../request/headers.ts";
import type { TakenNames } from "../request/taken-names.ts";
import type { Additions } from "../request/write-request.ts";
import { secretsOfHeaders } from "./mask.ts";
import type { OAuthSettings } from "./oauth.ts";

/** The operator's credentials for an API. */
export type UpstreamAuth =
  | { readonly bearer: string }
  | { readonly basic: { readonly username: string; readonly password: string } }
  | { readonly apiKey: ApiKey }
  | { readonly oauth2: OAuthSettings };

/** The URL that tokens come from. Undefined without OAuth. */
export function tokenUrlOf(auth: UpstreamAuth | undefined): string | undefined {
  return auth !== undefined && "oauth2" in auth ? auth.oauth2.tokenUrl : undefined;
}

export interface ApiKey {
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly value: string;
}

export interface CredentialOptions {
  readonly auth?: UpstreamAuth;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of request headers of the call that go upstream as they came. */
  readonly forward?: readonly string[];
}

/** The additions of a source to its requests. */
export interface Credentials {
  /** The names that no argument can write. */
  readonly taken: TakenNames;
  /**
   * @param forwarded the headers of the call, by name in lower case
   * @param token the access token, with OAuth
   */
  readonly additions: (forwarded: Readonly<Record<string, string>>, token?: string) => Additions;
  /** Texts that no error may contain. */
  readonly secrets: readonly string[];
  /** The names of the headers of a call that go upstream, in lower case. Their values may be credentials of a user. */
  readonly forwarded: readonly string[];
}

/**
 * The order is auth, headers, forward: the first has the name. `Content-Type` is the body's, whatever the headers say.
 * @throws TypeError for a value that a header cannot contain; its message does not quote it
 */
export function createCredentials({ auth, headers = {}, forward = [] }: CredentialOptions): Credentials {
  const own = readAuth(auth);
  const fixed: HeaderField[] = [...own.headers];
  const names = new Set(own.taken.header.map((name) => name.toLowerCase()));
  let { cookie } = own;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (names.has(lower) || lower === "content-type") continue;
    names.add(lower);
    if (lower === "cookie") cookie = cookie === "" ? value : `${cookie}; ${value}`;
    else fixed.push([name, value]);
  }
  const forwarded = forward.map((name) => name.toLowerCase()).filter((name) => !names.has(name));
  for (const [name, value] of [...fixed, ["headers.Cookie", cookie] as const]) refuseUnsendable(name, value);

  const additions: Additions = { headers: fixed, query: own.query, cookie };
  const isFixed = forwarded.length === 0 && !own.hasToken;
  return {
    taken: {
      query: own.taken.query,
      header: [...names, ...forwarded],
      cookie: [...own.taken.cookie, ...cookieNames(cookie)],
    },
    additions: isFixed
      ? () => additions
      : (given, token) => {
          const all: HeaderField[] = token === undefined ? [] : [["authorization", `Bearer ${token}`]];
          all.push(...fixed);
          for (const name of forwarded) {
            const value = Object.hasOwn(given, name) ? given[name] : undefined;
            if (value !== undefined) all.push([name, value]);
          }
          return { ...additions, headers: all };
        },
    secrets: [...own.secrets, ...secretsOfHeaders(Object.values(headers))],
    forwarded,
  };
}

/**
 * The credentials of a setting.
 * @throws SourceError for a value that a header cannot contain
 */
export function readCredentials(options: CredentialOptions): Credentials {
  try {
    return createCredentials(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SourceError(error.message, { cause: error });
  }
}

interface ReadAuth extends Additions {
  readonly taken: TakenNames;
  readonly secrets: readonly string[];
  /** `Authorization` is set for each call. */
  readonly hasToken: boolean;
}

const nothing: ReadAuth = {
  headers: [],
  query: "",
  cookie: "",
  taken: { query: [], header: [], cookie: [] },
  secrets: [],
  hasToken: false,
};

function readAuth(auth: UpstreamAuth | undefined): ReadAuth {
  if (auth === undefined) return nothing;
  if ("bearer" in auth) return authorization(`Bearer ${auth.bearer}`, [auth.bearer]);
  if ("basic" in auth) {
    const { username, password } = auth.basic;
    const pair = Buffer.from(`${username}:${password}`).toString("base64");
    return authorization(`Basic ${pair}`, [pair, password]);
  }
  if ("apiKey" in auth) return readApiKey(auth.apiKey);
  const taken = { ...nothing.taken, header: ["authorization"] };
  return { ...nothing, taken, secrets: [auth.oauth2.clientSecret], hasToken: true };
}

function readApiKey({ in: place, name, value }: ApiKey): ReadAuth {
  if (place !== "query" && !isHeaderName(name)) {
    throw new TypeError(`The name in auth.apiKey is not a valid name of a ${place}.`);
  }
  const taken = { ...nothing.taken, [place]: [name] };
  const secrets = [value, encodeText(value), encodeCookie(value)];
  switch (place) {
    case "header":
      return { ...nothing, headers: [[name, value]], taken, secrets };
    case "query":
      return { ...nothing, query: `${encodeText(name)}=${encodeText(value)}`, taken, secrets };
    case "cookie":
      return { ...nothing, cookie: `${name}=${encodeCookie(value)}`, taken, secrets };
  }
}

function authorization(value: string, secrets: readonly string[]): ReadAuth {
  return {
    ...nothing,
    headers: [["authorization", value]],
    taken: { ...nothing.taken, header: ["authorization"] },
    secrets,
  };
}

function refuseUnsendable(name: string, value: string): void {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new TypeError(`The value of the header ${name} contains characters that a header cannot contain.`);
  }
}

function cookieNames(cookie: string): readonly string[] {
  return cookie === "" ? [] : cookie.split(";").map((pair) => pair.split("=")[0]!.trim());
}
