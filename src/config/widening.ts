import { isOperatorKey, type KeyOptions } from "../access/keys.ts";
import { resolveOverride } from "../tool/overrides.ts";
import type { Config } from "./config.ts";
import type { FileReading } from "./file.ts";
import { type LoosenedBinding, loosenedBindings } from "./loosened-bindings.ts";
import { lostBindings } from "./lost-bindings.ts";

/** A configuration with the file that it was read from. */
export interface ConfigOfFile {
  readonly config: Config;
  readonly file: FileReading | undefined;
}

/** The rights that a reload would add. */
export interface Widening {
  /** Changes that look like an accident, such as a truncated file: reasons to keep the previous configuration. */
  readonly accidents: readonly string[];
  /** Keys whose limits the file explicitly removes. */
  readonly widenedKeys: readonly string[];
  /** Bindings that the file explicitly makes less strict. */
  readonly loosenedBindings: readonly LoosenedBinding[];
}

/**
 * An editor, a full disk or an interrupted deployment may leave a part of a file that is still valid but restricts
 * less. An intended change must be written explicitly.
 */
export function findWidening(before: ConfigOfFile, next: ConfigOfFile): Widening {
  if (before.file === undefined || next.file === undefined || before.file.text === next.file.text) return nothing;
  if (next.file.isEmpty && !before.file.isEmpty) return { ...nothing, accidents: ["The file is empty"] };
  if (isCutWithinLine(before.file.text, next.file.text))
    return { ...nothing, accidents: ["Its last line is incomplete"] };
  const isCut = before.file.text.startsWith(next.file.text);
  const accidents: string[] = [];
  const widenedKeys: string[] = [];
  if (hasAccess(before.config) && !hasAccess(next.config)) accidents.push('"auth" no longer contains "keys" or "jwt"');
  for (const key of next.config.auth.keys) {
    const earlier = findEarlier(before.config.auth.keys, key);
    if (earlier === undefined) continue;
    const lost = lostLimits(earlier, key, isCut);
    if (lost.length > 0) accidents.push(`The key "${key.name}" no longer has ${lost.join(" and ")}`);
    else if (isWidened(earlier, key)) widenedKeys.push(key.name);
  }
  for (const token of next.config.workerTokens) {
    const earlier = findEarlier(before.config.workerTokens, token);
    if (earlier?.tools === undefined || token.tools !== undefined) continue;
    accidents.push(`The worker token "${token.name}" no longer has "tools" (write tools: ["*"] if this is intended)`);
  }
  const { jwt } = next.config.auth;
  if (before.config.auth.jwt?.toolsClaim !== undefined && jwt !== undefined && jwt.toolsClaim === undefined) {
    accidents.push('auth.jwt no longer has "toolsClaim"');
  }
  if (before.config.hosts.length > 0 && next.config.hosts.length === 0) accidents.push('"hosts" is empty');
  accidents.push(...lostBindings(before.config.overrides, next.config.overrides, isCut));
  if (isCut) accidents.push(...lostSwitches(before.config, next.config));
  return {
    accidents,
    widenedKeys,
    loosenedBindings: loosenedBindings(before.config.overrides, next.config.overrides),
  };
}

const nothing: Widening = { accidents: [], widenedKeys: [], loosenedBindings: [] };

function hasAccess({ auth }: Config): boolean {
  return auth.keys.length > 0 || auth.jwt !== undefined;
}

/** A pattern, a network or a name without its end may match more. Nobody ends a file within a line on purpose. */
function isCutWithinLine(before: string, next: string): boolean {
  return (
    next.length < before.length &&
    before.startsWith(next) &&
    !/[\r\n]$/.test(next) &&
    !/^\s*(?:[\r\n]|$)/.test(before.slice(next.length))
  );
}

/** The same key, or the previous key with the same name: a replaced key must not lose its limits. */
function findEarlier<Key extends { readonly sha256: string; readonly name: string }>(
  keys: readonly Key[],
  { sha256, name }: Key,
): Key | undefined {
  return keys.find((key) => key.sha256 === sha256) ?? keys.find((key) => key.name === name);
}

function lostLimits(before: KeyOptions, next: KeyOptions, isCut: boolean): string[] {
  const isLost = (limit: keyof KeyOptions): boolean => before[limit] !== undefined && next[limit] === undefined;
  return [
    ...(isLost("tools") ? [`"tools" (write tools: ["*"] if this is intended)`] : []),
    ...(isLost("readOnly") && (before.readOnly === true || next.tools === undefined)
      ? ['"readOnly" (write readOnly: false if this is intended)']
      : []),
    ...(before.operator === false && next.operator === undefined
      ? ['"operator: false" (write operator: true if this is intended)']
      : []),
    ...(isCut && isLost("callsPerMinute") ? ['"callsPerMinute"'] : []),
  ];
}

function isWidened(before: KeyOptions, next: KeyOptions): boolean {
  const isEvery = ({ tools }: KeyOptions): boolean =>
    tools === undefined || tools.some((pattern) => /^\*+$/.test(pattern));
  return (
    (isEvery(next) && !isEvery(before)) ||
    (before.readOnly === true && next.readOnly !== true) ||
    (isOperatorKey(next) && !isOperatorKey(before))
  );
}

/** Tools that were disabled, if the file without its end no longer mentions them. */
function lostSwitches(before: Config, next: Config): string[] {
  const isOff = ({ overrides }: Config, name: string): boolean => resolveOverride(overrides, name).enabled === false;
  const lost = Object.keys(before.overrides).filter((name) => isOff(before, name) && !isOff(next, name));
  return lost.map((name) => `overrides.${name} no longer has "enabled"`);
}
