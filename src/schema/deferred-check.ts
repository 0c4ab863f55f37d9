import type { Check } from "./compiled-check.ts";

/**
 * A check that is made when it is first used.
 * @param make called once; if it throws, each use of the check throws the same
 */
export function deferCheck(make: () => Check): Check {
  let made: Check | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  const makeOnce = (): Check => {
    if (failure !== undefined) throw failure.thrown;
    try {
      return (made = make());
    } catch (thrown) {
      failure = { thrown };
      throw thrown;
    }
  };
  const check = (): Check => made ?? makeOnce();
  return {
    get schema() {
      return check().schema;
    },
    accepts: (value) => check().accepts(value),
    findings: (value) => check().findings(value),
  };
}
