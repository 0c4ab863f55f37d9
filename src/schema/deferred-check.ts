import type { Check } from "./compiled-check.ts";

/**
 * A check that is made when it is first used.
 * @param make must not throw: the schema was checked before
 */
export function deferCheck(make: () => Check): Check {
  let made: Check | undefined;
  const check = (): Check => (made ??= make());
  return {
    get schema() {
      return check().schema;
    },
    accepts: (value) => check().accepts(value),
    findings: (value) => check().findings(value),
  };
}
