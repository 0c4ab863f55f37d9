import { ConfigError } from "../config/config-error.ts";
import type { Tool } from "../tool/tool.ts";
import { closest } from "../schema/suggest.ts";
import { declareTools } from "../dialects/declarations.ts";
import type { DeclarationOptions, Dialect, Warning, WarningKind } from "../dialects/dialect.ts";
import { dialects } from "../dialects/dialects.ts";

/** A form of the list of tools: the query parameters of `GET /tools`. */
export interface Form {
  readonly format: string;
  readonly dialect: Dialect;
  readonly options: DeclarationOptions;
}

/** What tools lose in one format. */
export interface Losses {
  readonly format: string;
  readonly tools: number;
  readonly counts: Readonly<Record<WarningKind, number>>;
  readonly warnings: readonly Warning[];
}

const plainForms: readonly Form[] = Object.values(dialects).flatMap((dialect): Form[] =>
  (dialect.schemaForms ?? ["json"]).map((schema) => {
    const format = schema === "json" ? dialect.name : `${dialect.name}?schema=${schema}`;
    return { format, dialect, options: { strict: false, schema } };
  }),
);

/** @throws ConfigError for an unknown format */
export function chooseForms(given: readonly string[] | undefined, isStrict: boolean): Form[] {
  const names = given?.flatMap((list) => list.split(","));
  const known = plainForms.map(({ format }) => format);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = closest(unknown, known);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    throw new ConfigError(`--format ${unknown}: it must be one of ${known.join(", ")}${hint}`);
  }
  const chosen = plainForms.filter(({ format }) => names?.includes(format) !== false);
  return isStrict ? chosen.flatMap(withStrict) : chosen;
}

/** The strict form too, if the dialect has one. */
function withStrict(form: Form): Form[] {
  const { format, dialect } = form;
  const options = { ...form.options, strict: true };
  const isOther = dialect.profile(options) !== dialect.profile(form.options);
  return isOther ? [form, { format: `${format}?strict=true`, dialect, options }] : [form];
}

export function findLosses({ format, dialect, options }: Form, tools: readonly Tool[]): Losses {
  const { warnings } = declareTools(dialect, tools, options);
  const counts = { omitted: 0, widened: 0, narrowed: 0, renamed: 0, annotation: 0 };
  for (const { kind } of warnings) counts[kind]++;
  return { format, tools: tools.length, counts, warnings };
}
