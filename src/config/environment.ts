import { parseUrl } from "../net/parse-url.ts";
export type Env = Readonly<Record<string, string | undefined>>;

/** The state of the reading: the environment, the problems so far, and the origin of each value. */
export interface EnvironmentReading {
  readonly env: Env;
  readonly problems: string[];
  /**
   * By place, such as `limits.bodyBytes`: a flag, a variable, or a line of the file. A value without an origin is a
   * default.
   */
  readonly origins: Map<string, string>;
}

/** One setting of the process: its name in the configuration, its variable, and its flag if it has one. */
export interface Setting {
  readonly place: string;
  readonly variable: string;
  readonly flag?: { readonly name: string; readonly value: string | undefined };
}

export function startReading(env: Env): EnvironmentReading {
  return { env, problems: [], origins: new Map() };
}

/** The flag overrides the variable. An empty value counts as not set: `PORT= toolhost serve` means the default. */
export function readText({ env, origins }: EnvironmentReading, setting: Setting): string | undefined {
  const value = setting.flag?.value || env[setting.variable] || undefined;
  if (value !== undefined) origins.set(setting.place, nameOf(setting));
  return value;
}

/** The flag that sets a value, or else the variable. */
export function nameOf({ variable, flag }: Setting): string {
  return flag?.value ? `--${flag.name}` : variable;
}

/** A whole number from 0 to `most`. */
export function readNumber(reading: EnvironmentReading, setting: Setting, otherwise: number, most: number): number {
  const text = readText(reading, setting);
  if (text === undefined) return otherwise;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  reading.problems.push(`${nameOf(setting)} must be a whole number from 0 to ${most}`);
  return otherwise;
}

export function readBoolean(reading: EnvironmentReading, setting: Setting, otherwise: boolean): boolean {
  const text = readText(reading, setting);
  if (text === undefined) return otherwise;
  if (/^(?:1|on|true)$/i.test(text)) return true;
  if (/^(?:0|off|false)$/i.test(text)) return false;
  reading.problems.push(`${setting.variable} must be "on" or "off"`);
  return otherwise;
}

/** The entries of a variable with a list, trimmed, without the empty ones. */
export function readList(env: Env, variable: string, separator: string): string[] {
  const entries = env[variable]?.split(separator) ?? [];
  return entries.map((entry) => entry.trim()).filter(Boolean);
}

/** The keys in TOOLHOST_API_KEYS. Problems do not repeat them. */
export function readApiKeys(env: Env, problems: string[]): string[] {
  const keys = readList(env, "TOOLHOST_API_KEYS", ",");
  if (env["TOOLHOST_API_KEYS"] && keys.length === 0) problems.push("TOOLHOST_API_KEYS is set, but contains no key");
  if (keys.some((key) => !/^[\x21-\x7e]+$/.test(key))) {
    problems.push("TOOLHOST_API_KEYS contains a key with characters that a header cannot contain");
  }
  return keys;
}

/** The origins of the operator's own variables `*_BASE_URL`. Problems do not repeat the values. */
export function readBaseOrigins(env: Env, problems: string[]): string[] {
  const origins = Object.entries(env).flatMap(([name, value]) => {
    if (!name.endsWith("_BASE_URL") || !value) return [];
    const url = parseUrl(value);
    if (url?.protocol === "http:" || url?.protocol === "https:") return [url.origin];
    problems.push(`${name} must be an http or https URL`);
    return [];
  });
  return [...new Set(origins)].sort();
}
