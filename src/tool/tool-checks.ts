import { CallError } from "../errors/errors.ts";
import { notAvailable } from "../errors/not-available.ts";
import { reasonOf } from "../errors/reason.ts";
import { type Check, type CheckOptions, createCheck } from "../schema/check.ts";
import { deferCheck } from "../schema/deferred-check.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { isPrepared, readParameters } from "./prepared-tool.ts";
import type { Tool } from "./tool.ts";

/** @throws Error with the reason if it is not a schema of arguments */
export function checkParameters(tool: Tool, options: CheckOptions): Check {
  return checkSchema("parameters", () => readParameters(tool), options);
}

/** The check of a prepared tool. The first call makes it, and fails if the schema is not valid after all. */
export function deferParameters(tool: Tool, options: CheckOptions): Check {
  return deferCheck(() => {
    try {
      return createCheck(readParameters(tool), options);
    } catch (cause) {
      throw notAvailable("its parameters cannot be checked", cause);
    }
  });
}

/**
 * @returns undefined if any JSON value is allowed
 * @throws Error with the reason if it is not a schema; for a prepared tool, a call reports that only after the run
 */
export function checkResponse(tool: Tool, options: CheckOptions): Check | undefined {
  if (!("response" in tool)) return undefined;
  if (isPrepared(tool)) return deferCheck(() => checkPreparedResponse(tool, options));
  const { response } = tool;
  return response === undefined ? undefined : checkSchema("response", () => response, options);
}

function checkPreparedResponse(tool: Tool, options: CheckOptions): Check {
  try {
    return createCheck(tool.response!, options);
  } catch (cause) {
    const message = "The tool's schema of its results is not valid, so no result can be checked.";
    throw new CallError("invalid_result", message, {}, cause);
  }
}

function checkSchema(name: string, read: () => JsonSchema, options: CheckOptions): Check {
  try {
    return createCheck(read(), options);
  } catch (error) {
    throw new Error(`in "${name}", ${reasonOf(error) ?? "the schema cannot be read"}`, { cause: error });
  }
}
