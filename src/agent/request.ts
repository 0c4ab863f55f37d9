import { declareTools } from "../dialects/declarations.ts";
import type { ModelRequest } from "./models/model.ts";
import type { AgentState } from "./state.ts";
import type { AgentToolChoice } from "./types.ts";
import { inQuotes } from "../json/in-quotes.ts";

/** The next request to a model, and warnings about what could not be included. */
export function createRequest(
  { model, dialect, tools, system, conversation, followUp }: AgentState,
  choice: AgentToolChoice,
  signal: AbortSignal | undefined,
): { readonly request: ModelRequest; readonly warnings: readonly string[] } {
  const isNamed = typeof choice === "object";
  const fields = dialect.toolChoice({
    mode: isNamed ? "required" : choice,
    thinking: model.thinking === true,
    ...(isNamed && { names: [choice.tool] }),
  });
  const all = tools.list();
  const chosen = all.map(({ tool }) => tool).filter(({ name }) => fields.tools?.includes(name) ?? true);
  const declared = declareTools(dialect, chosen, { strict: false, schema: "json" });
  const omitted = declared.warnings.filter(({ kind }) => kind === "omitted");
  const isEmpty = omitted.length === chosen.length;
  const isForced = isNamed || choice === "required";
  const warnings = [
    ...omitted.map(({ tool, message }) => `${inQuotes(tool)}: ${message}`),
    ...tools.skipped().map(({ name, reason }) => `${inQuotes(name)}: This tool is left out, because ${reason}.`),
    ...(all.length === 0 ? [] : fields.warnings),
    ...(isForced && isEmpty ? ["toolChoice forces a call, but there is no tool to call."] : []),
  ];
  const request = {
    messages: conversation.items(),
    system,
    tools: isEmpty ? [] : declared.tools,
    toolChoice: isEmpty ? {} : fields.request,
    followUp,
    signal,
  };
  return { request, warnings };
}
