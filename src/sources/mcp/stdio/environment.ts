/** What a server gets of the environment of this process: enough to run programs, and no secret. */
const inherited = ["PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR"] as const;

/** The environment of a server: those few variables and what its setting says, nothing else. */
export function serverEnvironment(
  own: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const passed = inherited.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...own };
}
