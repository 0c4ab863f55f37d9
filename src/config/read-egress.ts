import type { ToolConfig } from "./config.ts";
import { type EnvironmentReading, readBaseOrigins, readList } from "./environment.ts";

/** The part of the egress rules that the environment sets. */
export async function readEgress({ env, problems, origins }: EnvironmentReading): Promise<ToolConfig["egress"]> {
  const allow = readList(env, "TOOLHOST_EGRESS_ALLOW", ",");
  if (allow.length > 0) {
    problems.push(...(await import("./egress-entries.ts")).checkEgressEntries("TOOLHOST_EGRESS_ALLOW", allow));
    allow.forEach((_, index) => origins.set(`egress.allow[${index}]`, "TOOLHOST_EGRESS_ALLOW"));
  }
  return { allow, origins: readBaseOrigins(env, problems) };
}
