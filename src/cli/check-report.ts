import type { ToolWarning } from "../core/observer.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import type { Warning, WarningKind } from "../dialects/dialect.ts";
import { align } from "./columns.ts";
import { escapeControls } from "./io.ts";
import type { UnusedBinding } from "../tool/overrides.ts";
import type { Losses } from "./provider-losses.ts";

/** The results of `toolhost check`. */
export interface CheckReport {
  readonly tools: readonly ToolReport[];
  readonly skipped: readonly Skipped[];
  /** Probable spelling mistakes. */
  readonly warnings: readonly ToolWarning[];
  /** Arguments that an override binds and that none of its tools has. */
  readonly unusedBindings: readonly UnusedBinding[];
  readonly formats: readonly Losses[];
}

export interface ToolReport {
  readonly name: string;
  /** The names of its arguments; those that may be left out end with `?`. */
  readonly arguments: readonly string[];
  /** What it is made of, if it is an operation of a document: `GET /pets/{id}`. */
  readonly operation?: string | undefined;
  /** Number of examples that were checked. */
  readonly examples: number;
  /** Problems of its examples. */
  readonly problems: readonly string[];
}

/** The problems of each tool, and a line per format; with `isVerbose` also what each format cannot express. */
export function reportAsText(report: CheckReport, isVerbose: boolean): string {
  const tools = report.tools.map(({ name, arguments: args, operation, examples, problems }) => {
    const warnings = report.warnings.filter((each) => each.name === name).map(warningText);
    const omissions = report.formats.flatMap(({ format, warnings: losses }) =>
      losses.filter((loss) => loss.tool === name && loss.kind === "omitted").map((loss) => omissionText(format, loss)),
    );
    const origin = operation === undefined ? [] : [`${operation}, arguments: ${args.join(", ") || "none"}`];
    const wrong = [...omissions, ...problems.map((problem) => `problem: ${problem}`), ...warnings];
    return toolText(
      name,
      wrong.length > 0
        ? [...origin, ...wrong]
        : origin.length > 0
          ? origin
          : [examples === 0 ? "ok" : `ok, ${count(examples, "example")} checked`],
    );
  });
  const skipped = report.skipped.map(({ name, reason }) => toolText(name, [`skipped: ${reason}`]));
  // A folder has warnings too.
  const others = report.warnings.filter(({ name }) => report.tools.every((tool) => tool.name !== name));
  const folders = others.map((warning) => toolText(warning.name, [warningText(warning)]));
  const bindings = report.unusedBindings.map(({ override, argument }) =>
    toolText(`overrides: ${override}`, [
      `problem: it binds "${argument}", but no tool that it applies to has this argument`,
    ]),
  );
  const losses = report.formats.flatMap(({ format, warnings }) =>
    warnings.filter(({ kind }) => kind !== "omitted").map((warning) => ({ ...warning, format })),
  );
  const rows = report.tools.length === 0 ? [] : report.formats.map((each) => [each.format, formatText(each)]);
  const details = isVerbose ? align(losses.toSorted((a, b) => compare(a.tool, b.tool)).map(lossRow)) : "";
  const hint = losses.length > 0 && !isVerbose ? lossHint : "";
  return [[...tools, ...folders, ...skipped, ...bindings].join(""), details, align(rows), hint]
    .filter((part) => part !== "")
    .join("\n");
}

const lossHint = `If a provider does not enforce a rule, the description mentions the rule instead.
For the details: toolhost check --verbose
`;

const kindNames: Readonly<Record<WarningKind, string>> = {
  omitted: "left out",
  widened: "not enforced",
  narrowed: "narrowed",
  renamed: "renamed",
  annotation: "not sent",
};

/** A tool with its lines: on the same line if there is one, otherwise below it. */
function toolText(name: string, lines: readonly string[]): string {
  const [first = "", ...more] = lines.map(escapeControls);
  const title = escapeControls(name);
  if (more.length === 0) return `${title}: ${first}\n`;
  return `${title}:\n${[first, ...more].map((line) => `  ${line}\n`).join("")}`;
}

function warningText({ path, message }: ToolWarning): string {
  return `warning: ${path === undefined || path === "" ? "" : `${path}: `}${message}`;
}

function omissionText(format: string, { message }: Warning): string {
  return `problem: ${format}: ${message}`;
}

function lossRow({ tool, format, kind, path, message }: Warning & { readonly format: string }): string[] {
  return [tool, format, kindNames[kind], path || "-", message].map(escapeControls);
}

function formatText({ tools, counts }: Losses): string {
  const losses = (Object.keys(kindNames) as WarningKind[]).filter((kind) => counts[kind] > 0);
  const rest = losses.map((kind) => `${kindNames[kind]}: ${counts[kind]}`);
  return [`${tools - counts.omitted} of ${count(tools, "tool")}`, ...rest].join(", ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
