import { serviceLogLevels } from "../tool/log-level.ts";
import { type EnvironmentReading, nameOf, readText } from "./environment.ts";

const levels: readonly string[] = serviceLogLevels;

/** The level of the log. @param flag the value of `--log-level` */
export function readLogLevel(reading: EnvironmentReading, flag: string | undefined): string {
  const setting = { place: "logLevel", variable: "LOG_LEVEL", flag: { name: "log-level", value: flag } };
  const level = readText(reading, setting) ?? "info";
  if (!levels.includes(level)) reading.problems.push(`${nameOf(setting)} must be one of ${levels.join(", ")}`);
  return level;
}
