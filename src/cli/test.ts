import { parseFlags } from "../config/flags.ts";
import { canonicalJson } from "../json/canonical.ts";
import { outcomeOf, type StartCall } from "../core/call/start-call.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import { pointerToken } from "../json/pointer.ts";
import { createAuthorObserver } from "./author-observer.ts";
import { align } from "./columns.ts";
import { type Example, readExamples, withBoundValues } from "./examples.ts";
import { escapeControls, type Io } from "./io.ts";
import { loadOwnTools, ownToolFlags, type OwnTools } from "./own-tools.ts";

interface TestResult {
  readonly tool: string;
  /** The example's index in the file, from 1; absent if none could be run. */
  readonly example?: number;
  readonly state: "passed" | "failed" | "not run";
  /** The error or the difference. */
  readonly note?: string;
  readonly outcome?: Outcome;
}

/** `toolhost test`: runs tools with the arguments of their examples. */
export async function test(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: { ...ownToolFlags, exact: { type: "boolean" }, json: { type: "boolean" } },
    allowPositionals: true,
  });
  const own = await loadOwnTools(values, positionals, io, { observer: createAuthorObserver(io), isUnbound: true });
  const results: TestResult[] = own.skipped.map(({ name, reason }) => {
    return { tool: name, state: "failed", note: `skipped: ${reason}` };
  });
  // In sequence: an example may need the effect of the one before it.
  for (const entry of own.tools) {
    for await (const result of testTool(own, entry, values.exact === true)) {
      results.push(result);
    }
  }
  const counts = { passed: 0, failed: 0, "not run": 0 };
  for (const { state } of results) counts[state]++;
  if (values.json === true) io.out(`${JSON.stringify({ results }, null, 2)}\n`);
  else if (results.length === 0) io.err(own.noTools);
  else io.out(`${align(results.map(toRow))}\n${toSummary(counts)}`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

const leavesOutBound =
  "it leaves out an argument that is bound to a claim or the session; add the argument to the example to run it";

async function* testTool(
  { registry, startCall, bindOf }: OwnTools,
  entry: RegisteredTool,
  isExact: boolean,
): AsyncGenerator<TestResult> {
  const tool = entry.tool.name;
  const { examples, problems } = await readExamples(registry, entry);
  for (const note of problems) yield { tool, state: "failed", note };
  if (entry.unavailable !== undefined) return yield { tool, state: "not run", note: entry.unavailable };
  if (examples.length + problems.length === 0) return yield { tool, state: "not run", note: "it has no examples.json" };
  for (const example of examples) {
    const args = withBoundValues(bindOf(tool), example.arguments);
    const isWhole = [...bindOf(tool)].every(([name, { to }]) => to === null || Object.hasOwn(args, name));
    if (isWhole || entry.parameters.accepts(args)) {
      yield await testExample(startCall, tool, { ...example, arguments: args }, isExact);
    } else {
      yield { tool, example: example.number, state: "not run", note: leavesOutBound };
    }
  }
}

async function testExample(
  startCall: StartCall,
  tool: string,
  example: Example,
  isExact: boolean,
): Promise<TestResult> {
  const { number, arguments: args } = example;
  const outcome = await outcomeOf(startCall, { name: tool, arguments: args, caller: { id: "command line" } });
  const result = { tool, example: number, outcome };
  if (outcome.status === "error") {
    return { ...result, state: "failed", note: `${outcome.error.code}: ${outcome.error.message}` };
  }
  const difference = "result" in example ? findDifference(example.result, outcome.result) : undefined;
  if (difference === undefined) return { ...result, state: "passed" };
  const note = `the result differs from the result of the example at ${difference || "the root"}`;
  return {
    ...result,
    state: isExact ? "failed" : "passed",
    note: isExact ? note : `${note} (only --exact makes this a failure)`,
  };
}

/** @returns a JSON Pointer to the first difference; undefined if there is none */
function findDifference(expected: unknown, actual: unknown, path = ""): string | undefined {
  if (canonicalJson(expected) === canonicalJson(actual)) return undefined;
  const isSameKind = Array.isArray(expected) === Array.isArray(actual);
  if (!isSameKind || !isObject(expected) || !isObject(actual)) return path;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (!Object.hasOwn(expected, key) || !Object.hasOwn(actual, key)) return path + pointerToken(key);
    const difference = findDifference(expected[key], actual[key], path + pointerToken(key));
    if (difference !== undefined) return difference;
  }
  return path;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function toRow({ tool, example, state, note = "" }: TestResult): string[] {
  const title = example === undefined ? "-" : `example ${example}`;
  return [tool, title, state, note].map(escapeControls);
}

function toSummary(counts: Readonly<Record<TestResult["state"], number>>): string {
  const notRun = counts["not run"] === 0 ? "" : `, ${counts["not run"]} not run`;
  return `${counts.passed} passed, ${counts.failed} failed${notRun}\n`;
}
