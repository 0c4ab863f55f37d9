import { ConfigError } from "../config/config-error.ts";
import { failedOutcome, type Outcome } from "../core/outcome.ts";
import { CallError } from "../errors/errors.ts";
import type { Tools } from "../service/tools.ts";
import { openApiOperationOf } from "../sources/openapi/operation-of-tool.ts";
import { escapeControls, type Io } from "./io.ts";

/** `toolhost call NAME --dry-run`: prints the request that the tool would send, secrets masked, and sends nothing. */
export async function dryRun(name: string, args: unknown, { registry, startCall }: Tools, io: Io): Promise<number> {
  const entry = registry.find(name);
  const operation = entry === undefined ? undefined : openApiOperationOf(entry.tool);
  if (entry !== undefined && operation === undefined) {
    throw new ConfigError(`--dry-run works only for OpenAPI tools, and "${name}" is not an OpenAPI tool`);
  }
  const text = await new Promise<string | Outcome>((resolve) => {
    const call = { name, arguments: args, caller: { id: "command line" } };
    startCall(call, resolve, (prepared) => {
      try {
        resolve(operation!.describeCall(prepared.arguments));
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        resolve(failedOutcome(error, entry!.repeatable, prepared.call.callId));
      }
    });
  });
  if (typeof text !== "string") {
    io.out(`${JSON.stringify(text, null, 2)}\n`);
    return 1;
  }
  io.out(text.split("\n").map(escapeControls).join("\n"));
  return 0;
}
