import type { Outcome } from "../../src/core/outcome.ts";

/** An outcome as the table of docs/tools.md shows it. */
export function outcomeText(outcome: Outcome): string {
  if (outcome.status === "ok") return JSON.stringify(outcome.result);
  const { code, issues } = outcome.error;
  return issues === undefined ? code : issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
}
