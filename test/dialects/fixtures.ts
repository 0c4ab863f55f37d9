import { type DialectName, dialectNames, dialects, type ModelDialect } from "../../src/dialects/dialects.ts";

export interface FixtureCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface CorpusFigures {
  readonly widened: number;
  readonly narrowed: number;
  readonly strict: number;
}

/** What `test/dialects/<name>/fixtures.ts` exports as `fixtures`: the provider's shapes, written without our code. */
export interface DialectFixtures {
  /** A message of the model with these calls, as `POST /calls?format=<name>` accepts it. @param text @default any text */
  reply(calls: readonly FixtureCall[], text?: string): unknown;
  /** The provider's whole answer with that message, which ended by itself. */
  response(reply: unknown): unknown;
  /** The number of results in the messages that are appended to the conversation. */
  resultsIn(messages: readonly Record<string, unknown>[]): number;
  /** Whether two calls with one id have one result. */
  readonly pairsById: boolean;
  /** For each profile, the tools of the corpus that it widens, narrows and makes strict. Changed only on purpose. */
  readonly corpus: Readonly<Record<string, CorpusFigures>>;
}

const all = new Map<DialectName, DialectFixtures>();
for (const name of dialectNames) {
  const { fixtures } = (await import(`./${name}/fixtures.ts`)) as { fixtures: DialectFixtures };
  all.set(name, fixtures);
}

export function fixturesOf(name: DialectName): DialectFixtures {
  const fixtures = all.get(name);
  if (fixtures === undefined) throw new Error(`${name} is not a dialect.`);
  return fixtures;
}

/** The dialects in which an agent keeps conversations. */
export const modelDialects = dialectNames.filter(
  (name): name is ModelDialect => dialects[name].conversation !== undefined,
);

/** The dialects whose messages also have a text. */
export const dialectsWithText = dialectNames.filter((name) => name !== "mcp");
