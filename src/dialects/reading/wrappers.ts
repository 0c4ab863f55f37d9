import { CallError } from "../../errors/errors.ts";
import { isJsonObject } from "../../json/object.ts";
import { type ReadArguments, readArgumentsText, type ValuesLeft } from "./arguments.ts";

/** Prefixes that models trained on one vendor's own prompts add to a function name. */
const prefixes = /^(?:functions\.|default_api[.:])/;
/** The rest of a header that gpt-oss writes after a name, if the server does not remove it. */
const channel = /<\|.*$/s;
/** A tool of that vendor that runs others in parallel. Models call it although nobody declared it. */
const wrapperNames = new Set(["parallel", "multi_tool_use.parallel"]);

export interface WrappedCall extends ReadArguments {
  readonly name: string;
}

/**
 * The tool that a model meant: what models and servers add to a name is removed if the name is unknown with it and known
 * without it.
 */
export function meantName(name: string, isKnown: (name: string) => boolean): string {
  if (isKnown(name)) return name;
  const bare = name.replace(channel, "").trim().replace(prefixes, "");
  return isKnown(bare) ? bare : name;
}

/**
 * The calls inside a call of a wrapper that is not a registered tool:
 * `{"tool_uses":[{"recipient_name","parameters"}]}`.
 * @returns undefined if it is any other call
 */
export function unwrapCall(
  name: string,
  args: unknown,
  isKnown: (name: string) => boolean,
): readonly unknown[] | undefined {
  if (!wrapperNames.has(name) || isKnown(name) || !isJsonObject(args) || !Object.hasOwn(args, "tool_uses")) {
    return undefined;
  }
  const uses = args["tool_uses"];
  return Array.isArray(uses) ? uses : undefined;
}

export function readWrappedCall(use: unknown, left: ValuesLeft): WrappedCall {
  const { recipient_name: name, parameters } = isJsonObject(use) ? use : {};
  if (typeof name !== "string") {
    const refusal = new CallError(
      "invalid_arguments",
      'Each entry of "tool_uses" must contain the name of a tool as "recipient_name".',
    );
    return { name: "", value: undefined, repairs: [], refusal };
  }
  if (typeof parameters === "string") return { name, ...readArgumentsText(parameters, left) };
  return { name, value: parameters === undefined ? {} : parameters, repairs: [], refusal: undefined };
}
