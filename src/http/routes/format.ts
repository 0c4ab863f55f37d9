import type { Dialect } from "../../dialects/dialect.ts";
import { dialects, findDialect } from "../../dialects/dialects.ts";
import { badQuery } from "../query.ts";

/**
 * The dialect that a query's `format` names; undefined for the service's own.
 * @throws CallError `bad_request` for a format that is unknown
 */
export function readFormat(format: string | undefined): Dialect | undefined {
  if (format === undefined || format === "toolhost") return undefined;
  const dialect = findDialect(format);
  if (dialect !== undefined) return dialect;
  throw badQuery("format", `must be one of toolhost, ${Object.keys(dialects).join(", ")}`);
}
