/** A configuration, a command line or an address that cannot be used, with everything that is wrong with it, a line a problem. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** @throws ConfigError where there is any */
export function throwProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
}
