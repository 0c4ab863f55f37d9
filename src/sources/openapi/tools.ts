import { notAvailable } from "../../errors/not-available.ts";
import type { SourceContext } from "../../core/source-context.ts";
import type { JsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { prepareTool } from "../../tool/prepared-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { limitUpstream } from "../upstream-limits.ts";
import { noBase } from "./base.ts";
import { createCallOperation } from "./call/call-operation.ts";
import { type CredentialOptions, readCredentials } from "../credentials/credentials.ts";
import { describeRequest } from "./call/dry-run.ts";
import { createAccessTokens } from "../credentials/oauth.ts";
import { noteOperation } from "./operation-of-tool.ts";
import { assembleSchema } from "./declaration/assemble.ts";
import type { OpenApiOperation, ReadOpenApi, SchemaText } from "./read-openapi.ts";
import type { TakenNames } from "../request/taken-names.ts";
import type { OpenApiSetting } from "./setting.ts";

/** The registry gives executors of sources this context. */
type Execute = (args: JsonObject, context: SourceContext) => Promise<unknown>;

/** Makes the tools of a document. */
export interface ToolMaker {
  /** Names of requests that no argument can write. */
  readonly taken: TakenNames;
  toolsOf(read: ReadOpenApi, base: URL | undefined): readonly Tool[];
}

/**
 * The shared state of calls, such as a token, outlives a document.
 * @throws SourceError for a header that cannot be sent
 */
export function createToolMaker(
  { auth, headers, forward, timeoutMs, concurrency, callsPerMinute }: OpenApiSetting,
  fetch: typeof globalThis.fetch,
): ToolMaker {
  const credentialOptions: CredentialOptions = {
    ...(auth !== undefined && { auth }),
    ...(headers !== undefined && { headers }),
    ...(forward !== undefined && { forward }),
  };
  const credentials = readCredentials(credentialOptions);
  const tokens = auth !== undefined && "oauth2" in auth ? createAccessTokens(auth.oauth2, fetch) : undefined;
  const runWithin = limitUpstream({ concurrency, callsPerMinute });
  const toolsOf: ToolMaker["toolsOf"] = (read, base) => {
    const upstream = { base: base?.href ?? "", credentials, ...(tokens !== undefined && { tokens }) };
    return read.operations.map((operation) => {
      const { method, path, annotations, plan, isFile = false } = operation;
      const isRepeatable = annotations.readOnly === true || annotations.idempotent === true;
      const call = createCallOperation(plan, upstream, { label: `${method} ${path}`, isRepeatable, asBlocks: isFile });
      const run: Execute =
        runWithin === undefined ? call : (args, context) => runWithin(context, () => call(args, context));
      // Each tool needs a function of its own, by which the command line finds its operation.
      const execute: Tool["execute"] = base === undefined ? () => refuseCall() : (run as Tool["execute"]);
      noteOperation(execute, {
        operation: `${method} ${path}`,
        describeCall: (args) =>
          base === undefined ? refuseCall() : describeRequest(plan, base.href, credentialOptions, args),
      });
      return toTool(operation, read, timeoutMs, execute);
    });
  };
  return { taken: credentials.taken, toolsOf };
}

function refuseCall(): never {
  throw notAvailable(noBase);
}

function toTool(
  { name, title, description, tags, annotations, isFile = false, parameters, response }: OpenApiOperation,
  { requestDefinitions, responseDefinitions }: ReadOpenApi,
  timeoutMs: number | undefined,
  execute: Tool["execute"],
): Tool {
  return prepareTool({
    name,
    description,
    ...(title !== undefined && { title }),
    tags,
    annotations,
    ...(timeoutMs !== undefined && { timeoutMs }),
    contentBlocks: isFile,
    hasResponse: response !== undefined,
    schemas: () => ({
      parameters: schemaOf(parameters, requestDefinitions),
      response: response && schemaOf(response, responseDefinitions),
    }),
    execute,
  });
}

function schemaOf({ text, reaches }: SchemaText, definitions: ReadOpenApi["requestDefinitions"]): JsonSchema {
  return JSON.parse(assembleSchema(text, reaches, definitions)) as JsonSchema;
}
