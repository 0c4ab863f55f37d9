import { ConfigError } from "../config/config-error.ts";
import { parseFlags, toolFlags } from "../config/flags.ts";
import type { Registry, Skipped } from "../core/registry.ts";
import type { Tool } from "../core/tool.ts";
import { declareTools } from "../dialects/declarations.ts";
import type { DeclarationOptions, Dialect, Warning, WarningKind } from "../dialects/dialect.ts";
import { dialects } from "../dialects/dialects.ts";
import { loadToolsQuietly } from "./tool-sources.ts";

/** `toolhost check`: what the tools lose in each provider's words. Exits 1 where one is missing there, or was not loaded. */
export async function check(args: readonly string[]): Promise<number> {
  const { values } = parseFlags({
    args: [...args],
    options: {
      ...toolFlags,
      format: { type: "string", multiple: true },
      strict: { type: "boolean" },
      tool: { type: "string", multiple: true },
      json: { type: "boolean" },
    },
  });
  const forms = chooseForms(values.format, values.strict === true);
  const { registry, status } = await loadToolsQuietly(values);
  const loadable = { tools: toolsOf(registry), skipped: status().flatMap((source) => source.skipped) };
  const { tools, skipped } = values.tool === undefined ? loadable : pick(loadable, values.tool);
  const findings = forms.map((form) => lintForm(form, tools));
  process.stdout.write(values.json === true ? toJson(findings, skipped) : toText(findings));
  for (const { name, reason } of skipped) process.stderr.write(`skipped: ${name}: ${reason}\n`);
  return skipped.length > 0 || findings.some(({ counts }) => counts.omitted > 0) ? 1 : 0;
}

/** A way to list tools: as the query of `GET /tools` asks for it. */
interface Form {
  readonly format: string;
  readonly dialect: Dialect;
  readonly options: DeclarationOptions;
}

interface Finding {
  readonly format: string;
  readonly tools: number;
  readonly counts: Readonly<Record<WarningKind, number>>;
  readonly warnings: readonly Warning[];
}

interface Loadable {
  readonly tools: readonly Tool[];
  readonly skipped: readonly Skipped[];
}

const plainForms: readonly Form[] = Object.values(dialects).flatMap((dialect): Form[] => {
  const plain: Form = { format: dialect.name, dialect, options: { strict: false, schema: "json" } };
  if (dialect.name !== "gemini") return [plain];
  return [plain, { ...plain, format: "gemini?schema=openapi", options: { strict: false, schema: "openapi" } }];
});

/** @throws ConfigError for a format that is none */
function chooseForms(given: readonly string[] | undefined, isStrict: boolean): Form[] {
  const names = given?.flatMap((list) => list.split(","));
  const known = plainForms.map(({ format }) => format);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ConfigError(`--format ${unknown}: it must be one of ${known.join(", ")}`);
  const chosen = plainForms.filter(({ format }) => names?.includes(format) !== false);
  return isStrict ? chosen.flatMap(withStrict) : chosen;
}

/** The strict form too, where the dialect has one. */
function withStrict(form: Form): Form[] {
  const { format, dialect } = form;
  const options = { ...form.options, strict: true };
  const isOther = dialect.profile(options) !== dialect.profile(form.options);
  return isOther ? [form, { format: `${format}?strict=true`, dialect, options }] : [form];
}

/** Those that cannot run here are looked at too: elsewhere their variables are set. */
function toolsOf(registry: Registry): Tool[] {
  const entries = [...registry.list(), ...registry.unavailable()];
  return entries.map(({ tool }) => tool).toSorted(byName(({ name }) => name));
}

/** @throws ConfigError for a name that neither a tool nor a skipped one has */
function pick({ tools, skipped }: Loadable, names: readonly string[]): Loadable {
  const unknown = names.find((name) => ![...tools, ...skipped].some((one) => one.name === name));
  if (unknown !== undefined) throw new ConfigError(`--tool ${unknown}: there is no such tool`);
  const isNamed = ({ name }: { readonly name: string }): boolean => names.includes(name);
  return { tools: tools.filter(isNamed), skipped: skipped.filter(isNamed) };
}

function lintForm({ format, dialect, options }: Form, tools: readonly Tool[]): Finding {
  const { warnings } = declareTools(dialect, tools, options);
  const counts = { omitted: 0, widened: 0, narrowed: 0, renamed: 0, annotation: 0 };
  for (const { kind } of warnings) counts[kind]++;
  return { format, tools: tools.length, counts, warnings };
}

function toJson(findings: readonly Finding[], skipped: readonly Skipped[]): string {
  return `${JSON.stringify({ formats: findings, skipped }, null, 2)}\n`;
}

/** A line for each loss, tool by tool, and a line for each format. */
function toText(findings: readonly Finding[]): string {
  const losses = findings
    .flatMap(({ format, warnings }) => warnings.map((warning) => ({ ...warning, format })))
    .toSorted(byName(({ tool }) => tool))
    .map(({ tool, format, kind, path, message }) => [tool, format, kind, path || "-", message].map(escapeControls));
  const totals = findings.map((finding) => [finding.format, sayCounts(finding)]);
  return [losses, totals]
    .filter((rows) => rows.length > 0)
    .map(align)
    .join("\n");
}

function sayCounts({ tools, counts }: Finding): string {
  const losses = Object.entries(counts).filter(([, count]) => count > 0);
  const said = losses.length === 0 ? ["no losses"] : losses.map(([kind, count]) => `${count} ${kind}`);
  return [`${tools - counts.omitted} of ${tools} tools`, ...said].join(", ");
}

/** A longer cell moves its own line only. */
const widestColumn = 40;

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, Math.min(cell.length, widestColumn))),
    [],
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/** Keys of a schema are anybody's, and a terminal obeys some characters. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function byName<T>(nameOf: (value: T) => string): (left: T, right: T) => number {
  return (left, right) => (nameOf(left) < nameOf(right) ? -1 : nameOf(left) > nameOf(right) ? 1 : 0);
}
