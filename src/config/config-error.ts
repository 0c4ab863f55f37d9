/** A configuration, a command line or an address that cannot be used, with one line for each problem. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** @throws ConfigError if there are problems */
export function throwProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
}
