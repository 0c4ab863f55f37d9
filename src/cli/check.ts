import { parseFlags } from "../config/flags.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import type { Registry } from "../core/registry/registry.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { openApiOperationOf } from "../sources/openapi/operation-of-tool.ts";
import type { Declaration } from "../tool/declaration.ts";
import { type CheckReport, reportAsText, type ToolReport } from "./check-report.ts";
import { checkExample, readExamples } from "./examples.ts";
import type { Io } from "./io.ts";
import { loadOwnTools, ownToolFlags } from "./own-tools.ts";
import { chooseForms, findLosses } from "./provider-losses.ts";

/**
 * `toolhost check`: reports problems of tools, and what each provider's format cannot express of them. It runs no tool.
 */
export async function check(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: {
      ...ownToolFlags,
      format: { type: "string", multiple: true },
      strict: { type: "boolean" },
      verbose: { type: "boolean" },
      json: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const forms = chooseForms(values.format, values.strict === true);
  const { registry, tools, skipped, warnings, unusedBindings, noTools } = await loadOwnTools(values, positionals, io);
  const declared = tools.map(({ tool }) => tool);
  const report: CheckReport = {
    tools: await Promise.all(tools.map((entry) => checkTool(registry, entry))),
    skipped,
    warnings,
    unusedBindings,
    formats: forms.map((form) => findLosses(form, declared)),
  };
  if (values.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
  else if (tools.length === 0 && skipped.length === 0) io.err(noTools);
  else io.out(reportAsText(report, values.verbose === true));
  const isWrong =
    tools.length + skipped.length === 0 ||
    skipped.length > 0 ||
    unusedBindings.length > 0 ||
    report.tools.some(({ problems }) => problems.length > 0) ||
    report.formats.some(({ counts }) => counts.omitted > 0);
  return isWrong ? 1 : 0;
}

async function checkTool(registry: Registry, entry: RegisteredTool): Promise<ToolReport> {
  const { examples, problems } = await readExamples(registry, entry);
  return {
    name: entry.tool.name,
    arguments: argumentsOf(entry.declaration),
    operation: openApiOperationOf(entry.tool)?.operation,
    examples: examples.length,
    problems: [...problems, ...examples.flatMap((example) => checkExample(entry, example))],
  };
}

/** Those that the root of the schema names; as in `describeTool`. */
function argumentsOf({ parameters }: Declaration): string[] {
  const { properties, required } = parameters as JsonObject;
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
  return Object.keys(isJsonObject(properties) ? properties : {}).map((key) => (isRequired(key) ? key : `${key}?`));
}
