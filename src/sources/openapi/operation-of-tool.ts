import type { JsonObject } from "../../json/object.ts";
import type { Tool } from "../../tool/tool.ts";

/** An operation of an OpenAPI document that is a tool, for commands that show or try it. */
export interface OperationOfTool {
  /** Such as `GET /pets/{id}`. */
  readonly operation: string;
  /**
   * The request of a call, with secrets masked.
   * @throws CallError as the call would
   */
  describeCall(args: JsonObject): string;
}

/** By the function of the tool, which the registry passes on unchanged. */
const operations = new WeakMap<Tool["execute"], OperationOfTool>();

export function noteOperation(execute: Tool["execute"], operation: OperationOfTool): void {
  operations.set(execute, operation);
}

/** @returns undefined if the tool is not an operation of a document */
export function openApiOperationOf({ execute }: Pick<Tool, "execute">): OperationOfTool | undefined {
  return operations.get(execute);
}
