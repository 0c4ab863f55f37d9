import { refuseUnknownOptions } from "../errors/known-options.ts";
import type { AccessOptions, AuthOptions } from "./authenticate.ts";
import type { KeyOptions } from "./keys.ts";

const authOptions: Record<keyof AuthOptions, true> = { keys: true, jwt: true };
const keyOptions: Record<keyof KeyOptions, true> = {
  name: true,
  sha256: true,
  tools: true,
  readOnly: true,
  operator: true,
  callsPerMinute: true,
};

/**
 * Checks who may call, as a program gives it: a mistake must not open the service to everyone.
 * @throws TypeError for an unknown option, a value of the wrong type, and a list or an `auth` that is empty
 */
export function checkAccessOptions({ apiKeys, auth }: AccessOptions): void {
  if (apiKeys !== undefined) checkList("apiKeys", apiKeys);
  if (auth === undefined) return;
  refuseUnknownOptions("auth", authOptions, auth);
  const { keys, jwt } = auth;
  if (keys === undefined && jwt === undefined) throw new TypeError('"auth" must contain "keys" or "jwt".');
  if (keys === undefined) return;
  checkList("auth.keys", keys);
  for (const [index, key] of keys.entries()) {
    const place = `auth.keys[${index}]`;
    refuseUnknownOptions(place, keyOptions, key, { key: "sha256", hash: "sha256" });
    if (typeof key.name !== "string") throw new TypeError(`${place}.name must be a string.`);
    if (typeof key.sha256 !== "string")
      throw new TypeError(`${place}.sha256 must be a string: "toolhost key" prints it.`);
  }
}

function checkList(name: string, list: unknown): void {
  if (!Array.isArray(list)) throw new TypeError(`${name} must be a list.`);
  if (list.length === 0) throw new TypeError(`${name} is empty. Leave it out if anyone may call.`);
}
