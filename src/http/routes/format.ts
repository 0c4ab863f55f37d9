import type { Dialect } from "../../dialects/dialect.ts";
import { dialects, findDialect } from "../../dialects/dialects.ts";
import { closest } from "../../schema/suggest.ts";
import { badQuery } from "../query.ts";

/**
 * The dialect that a query's `format` names, if it is not the service's own.
 * @throws CallError `bad_request` for a format that is unknown
 */
export function readFormat(format: string): Dialect {
  const dialect = findDialect(format);
  if (dialect !== undefined) return dialect;
  const names = ["toolhost", ...Object.keys(dialects)];
  const meant = closest(format, names);
  const hint = meant === undefined ? "" : `is unknown. Did you mean "${meant}"? It `;
  throw badQuery("format", `${hint}must be one of ${names.join(", ")}`);
}
