import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { translatePattern, UnsupportedPattern } from "./ecma-to-re2.ts";

/**
 * Number of instructions of one compiled pattern. In the worst case, a search reads each of them for each character.
 */
const maxInstructions = 1000;

/** Bytes of states that one pattern may keep. */
const maxStateBytes = 262_144;

/** A regular expression whose search takes time in proportion to the text, whatever the pattern. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The pattern, by which ajv distinguishes patterns. */
  toString(): string;
}

/**
 * Compiles a pattern of JSON Schema (ECMA-262, found anywhere in the text) for RE2's algorithm.
 * @param spend called before each search with its cost in the worst case, in steps of about 10 ns
 * @throws UnsupportedPattern
 */
export function createLinearPattern(pattern: string, spend: (steps: number) => void = () => {}): LinearPattern {
  const compiled = compile(translatePattern(pattern));
  const size = compiled.programSize();
  if (size > maxInstructions) throw new UnsupportedPattern("repeats too much");
  meterStates(compiled, spend);
  return {
    test(text) {
      spend(40 + text.length);
      return compiled.test(text);
    },
    toString: () => pattern,
  };
}

/**
 * A character costs one step of the automaton as long as its states are known. Making one takes time in proportion to
 * the pattern, and some patterns need a new one for each character: this is the cost that is counted.
 */
function meterStates(compiled: RE2JS, spend: (steps: number) => void): void {
  const size = compiled.programSize();
  const engine = compiled.re2();
  const { dfa } = engine;
  dfa.maxMem = dfa.stateBudget = dfa.memBudget = maxStateBytes;
  const makeState = dfa.makeState.bind(dfa);
  dfa.makeState = (...state) => {
    spend(20 + 6 * size);
    return makeState(...state);
  };
  // If there are too many states it continues without them, which costs the whole pattern for each character.
  const runWithoutStates = engine.doExecuteNFA.bind(engine);
  engine.doExecuteNFA = (input: { endPos(): number }, ...rest) => {
    spend(3 * size * input.endPos());
    return runWithoutStates(input, ...rest);
  };
}

/** Compiles each pattern once. */
export function createLinearPatterns(spend: (steps: number) => void): (pattern: string) => LinearPattern {
  const known = new Map<string, LinearPattern>();
  return (pattern) => {
    const found = known.get(pattern) ?? createLinearPattern(pattern, spend);
    known.set(pattern, found);
    return found;
  };
}

function compile(pattern: string): RE2JS {
  try {
    return load().compile(pattern);
  } catch (error) {
    const repeats = error instanceof Error && /repeat (?:count|op)|expression (?:nests|too)/.test(error.message);
    const unsupported = "is not supported by the regular-expression engine, which works in linear time";
    throw new UnsupportedPattern(repeats ? "repeats over 1000 times" : unsupported, { cause: error });
  }
}

let engine: typeof RE2JS | undefined;

/** Loaded with the first pattern from elsewhere: most services have none, and it costs 14 ms and 4 MB. */
function load(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;
  return engine;
}
