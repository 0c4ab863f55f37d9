import type { ToolWarning } from "../../../core/observer.ts";
import type { Definitions } from "../declaration/definitions.ts";

const maxWarnings = 20;

interface WarningSources {
  readonly requests: Pick<Definitions, "droppedPatterns">;
  readonly responses: Pick<Definitions, "droppedPatterns">;
  /** URIs of dialects of JSON Schema that the document names. */
  readonly dialects: ReadonlySet<string>;
}

/** Of both sides, each pattern once; a document may have any number of them. */
export function documentWarnings(name: string, { requests, responses, dialects }: WarningSources): ToolWarning[] {
  const dropped = [...new Map([...requests.droppedPatterns, ...responses.droppedPatterns])];
  const unknown = [...dialects].filter((uri) => !knownDialects.test(uri)).slice(0, maxWarnings);
  const ofDialects = unknown.map((uri) => ({
    name,
    message: `the dialect ${JSON.stringify(uri.slice(0, 200))} is not known; schemas in this dialect are read as JSON Schema 2020-12`,
  }));
  const ofPatterns = dropped.slice(0, maxWarnings).map(([pattern, reason]) => {
    const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern;
    return { name, message: `the pattern ${JSON.stringify(shown)} ${reason}; the pattern is left out` };
  });
  return [...ofDialects, ...ofPatterns];
}

/** 2020-12, and that of OpenAPI, which adds annotations to it: https://spec.openapis.org/oas/v3.1.0.html#schema-object */
const knownDialects =
  /^https?:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/[\w-]+)#?$/;

/** Of a document of which no operation is left. @param count its operations */
export function describeNone(count: number): string {
  return count === 0
    ? "the document has no operations"
    : `"include" and "exclude" select none of the document's ${count} operations`;
}

/** @param to what the reference leads to, such as "no schema" */
export function describeDangling(reference: string, to: string): string {
  const shown = reference.length > 200 ? `${reference.slice(0, 200)}…` : reference;
  return `the reference ${shown} leads to ${to}, so any value is accepted there`;
}
