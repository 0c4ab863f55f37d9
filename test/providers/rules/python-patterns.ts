import { spawnSync } from "node:child_process";

/** Reads a JSON list of patterns, and writes for each why Python's `re` refuses it, or null. */
const program = `
import json, re, sys, warnings
warnings.simplefilter("ignore")
def why(pattern):
    try:
        re.compile(pattern)
    except Exception as error:
        return str(error) or "is not a regex"
    return None
json.dump([why(pattern) for pattern in json.load(sys.stdin)], sys.stdout)
`;

const verdicts = new Map<string, string | undefined>();
let isMissing = false;

/** Why OpenAI refuses each of these patterns; undefined where it takes it. One process for all that are new. */
export function whyNotPython(patterns: readonly string[]): (string | undefined)[] {
  const fresh = [...new Set(patterns)].filter((pattern) => !verdicts.has(pattern));
  compile(fresh).forEach((why, index) => {
    const pattern = fresh[index] ?? "";
    // Python compiles look-around, and the newer models refuse it.
    verdicts.set(pattern, why ?? (hasLookAround(pattern) ? "regex lookaround is not supported" : undefined));
  });
  return patterns.map((pattern) => verdicts.get(pattern));
}

function compile(patterns: readonly string[]): (string | undefined)[] {
  if (patterns.length === 0) return [];
  if (isMissing) return patterns.map(whyNotAtSight);
  const { stdout, error, status } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify(patterns),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return (JSON.parse(stdout) as (string | null)[]).map((why) => why ?? undefined);
  isMissing = true;
  console.warn(`Patterns are not compiled as OpenAI does: python3 does not run (${error?.message ?? status}).`);
  return patterns.map(whyNotAtSight);
}

/** What its API is known to answer of. */
function whyNotAtSight(pattern: string): string | undefined {
  return /\\[pPkz]|\\u\{|\(\?<[^=!]/.test(pattern) ? "is not a regex" : undefined;
}

export function hasLookAround(pattern: string): boolean {
  return /\(\?(?:<?[=!])/.test(withoutLiterals(pattern));
}

/** Each escape and class becomes a letter, so that what stood around it does not meet: what is left is syntax. */
export function withoutLiterals(pattern: string): string {
  return pattern.replaceAll(/\\[^]/g, "x").replaceAll(/\[[^\]]*\]/g, "x");
}
