import { isJsonObject } from "../json/object.ts";
import type { BoundTo } from "../core/registry/overrides.ts";
import type { Path } from "../yaml/document.ts";
import { egressRule, hostName } from "./egress-rules.ts";
import { isPublicUrl, publicUrlRule } from "../access/public-url.ts";
import { isLoopback } from "../net/loopback.ts";
import { isOriginEntry, originEntryRule } from "../net/origin.ts";
import {
  boolean,
  dictionary,
  jsonValue,
  list,
  literal,
  oneOf,
  placeOf,
  type Reader,
  record,
  type Tell,
  text,
  wholeNumber,
} from "./shape.ts";
import { parseUrl } from "../net/parse-url.ts";

/** What `toolhost.yaml` may hold, each part as docs/configuration.md tells it. */
export type ConfigFile = NonNullable<ReturnType<typeof readConfigFile>>;

const longestMs = 900_000;
/** More than any machine has room for: only typing errors are above. */
const mostCalls = 1_000_000;

/** A body becomes one text: V8 has none of 512 MiB. */
const longestBody = 268_435_456;

const laterSources = ["openapi", "mcp", "workers"];

const folderEntry = record({}, { folder: text("the path of a folder", (path) => path !== "") });

const toolEntry: typeof folderEntry = (value, path, tell) => {
  const later = isJsonObject(value) ? laterSources.find((kind) => Object.hasOwn(value, kind)) : undefined;
  if (later === undefined) return folderEntry(value, path, tell);
  tell([...path, later], "is a source that this version does not have; it has folder");
  return undefined;
};

const boundFields = record({
  value: jsonValue,
  claim: text("the name of a claim, or a JSON Pointer into the claims such as /org/id", isClaim),
  session: literal(true),
});

/** `null` takes back what a shorter pattern binds. */
const boundTo: Reader<BoundTo | null> = (value, path, tell) => {
  if (value === null) return null;
  const read = boundFields(value, path, tell);
  if (read === undefined) return undefined;
  if (isJsonObject(value) && Object.keys(value).length === 1) return read as BoundTo;
  tell(path, "must be { value: … }, { claim: … }, { session: true }, or null");
  return undefined;
};

const words = text("a text", (value) => value.trim() !== "");

const override = record({
  description: words,
  title: words,
  tags: list(words),
  annotations: record({ readOnly: boolean, destructive: boolean, idempotent: boolean, openWorld: boolean }),
  bind: dictionary("the name of an argument", (name) => name !== "" && name !== "__proto__", boundTo),
  timeoutMs: wholeNumber(1, longestMs),
  concurrency: wholeNumber(1, mostCalls),
  retries: wholeNumber(0, 5),
  enabled: boolean,
  repair: boolean,
  response: oneOf("enforce", "warn", "off"),
});

const limits = record({
  bodyBytes: wholeNumber(1, longestBody),
  replyBytes: wholeNumber(1, longestBody),
  bytesInFlight: wholeNumber(1, 1_099_511_627_776),
  callsInFlight: wholeNumber(1, mostCalls),
  queueMs: wholeNumber(0, longestMs),
  timeoutMs: wholeNumber(1, longestMs),
});

const someText = text("a text", (value) => value !== "");

const key = record(
  {
    tools: list(text("a tool's name, in which * stands for any characters", (name) => /^[A-Za-z0-9_*-]+$/.test(name))),
    readOnly: boolean,
    operator: boolean,
    callsPerMinute: wholeNumber(1, 1_000_000_000),
  },
  {
    name: someText,
    sha256: text("64 lower-case hexadecimal digits, as toolhost key prints them", (hash) =>
      /^[0-9a-f]{64}$/.test(hash),
    ),
  },
);

const jwt = record(
  { toolsClaim: someText, operatorClaim: someText },
  { issuer: someText, audience: someText, jwksUrl: readJwksUrl },
);

const authFields = record({ keys: list(key), jwt });

const auth: typeof authFields = (value, path, tell) => {
  const read = authFields(value, path, tell);
  if (!isJsonObject(value)) return read;
  const { keys } = value;
  if (Array.isArray(keys)) {
    // An empty list would leave the service open, which is surely not what was meant.
    if (keys.length === 0) tell([...path, "keys"], "holds no key");
    for (const field of ["name", "sha256"]) tellRepeated(keys, field, [...path, "keys"], tell);
  }
  if (Object.keys(value).length === 0) tell(path, "holds neither keys nor jwt");
  return read;
};

/** Reads a whole file. */
export const readConfigFile = record(
  {
    tools: list(toolEntry),
    overrides: dictionary("the name of a tool, or its beginning with * at the end", isToolPattern, override),
    limits,
    auth,
    egress: record({ allow: list(egressRule) }),
    hosts: list(hostName),
    publicUrl: text(publicUrlRule, isPublicUrl),
    origins: list(text(originEntryRule, isOriginEntry)),
  },
  {},
  {
    elsewhere: new Map([
      ["host", "set HOST or --host"],
      ["port", "set PORT or --port"],
      ["unixSocket", "set UNIX_SOCKET or --unix-socket"],
      ["logLevel", "set LOG_LEVEL or --log-level"],
      ["apiKeys", "set TOOLHOST_API_KEYS, or use auth.keys"],
      ["keys", "it belongs in auth"],
      ["jwt", "it belongs in auth"],
    ]),
  },
);

function isToolPattern(name: string): boolean {
  return name === "*" || /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}\*?$/.test(name);
}

/** The tokens of a pointer escape `~` and `/` as RFC 6901 has it. */
function isClaim(claim: string): boolean {
  return claim !== "" && (!claim.startsWith("/") || /^(?:\/(?:[^~/]|~[01])*)+$/.test(claim));
}

/** Whoever can change the answer there makes keys: it must come over TLS, but from the machine itself. */
function readJwksUrl(value: unknown, path: Path, tell: Tell): string | undefined {
  return text("an https URL without a password in it (http on this machine alone)", isJwksUrl)(value, path, tell);
}

function isJwksUrl(value: string): boolean {
  const url = parseUrl(value);
  if (url === undefined) return false;
  const { protocol, hostname, username, password } = url;
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function tellRepeated(items: readonly unknown[], field: string, path: Path, tell: Tell): void {
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const value = isJsonObject(item) ? item[field] : undefined;
    if (typeof value !== "string") continue;
    const earlier = first.get(value);
    if (earlier === undefined) first.set(value, index);
    else tell([...path, index, field], `is the same as ${placeOf([...path, earlier, field])}`);
  }
}
