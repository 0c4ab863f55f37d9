/** Whether a model may call tools, must not, or must call at least one. */
export type ToolChoiceMode = "auto" | "none" | "required";

/** Which tool calls a model may make, independent of the provider. */
export interface ToolChoice {
  readonly mode: ToolChoiceMode;
  /**
   * Only these tools; with `required` and a single name, exactly this one. For no tools use `mode: "none"`.
   * @default all
   */
  readonly names?: readonly string[];
  /** Whether it may call several tools in one turn. @default true */
  readonly parallel?: boolean;
  /** Whether the request enables thinking. Anthropic's dialect then does not force a tool. @default false */
  readonly thinking?: boolean;
}

/** A choice in a provider's format. After a forced turn, request `auto`: otherwise the model never stops calling. */
export interface ToolChoiceFields {
  /** The fields to merge into the request. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Send the declarations of only these tools; empty: of none. Absent: of all. */
  readonly tools?: readonly string[];
  /** What the provider does not support. */
  readonly warnings: readonly string[];
}

/** For providers without a tool choice: only the list of declared tools can express it. */
export function chooseByList({ mode, names, parallel }: ToolChoice): ToolChoiceFields {
  const tools = mode === "none" ? [] : names;
  return {
    request: {},
    ...(tools !== undefined && { tools }),
    warnings: [
      ...(mode === "required" ? [notForced] : []),
      ...(parallel === false && mode !== "none" ? [parallelStays] : []),
    ],
  };
}

const notForced =
  "The model cannot be forced to call a tool here. Ask for the call in the prompt, and check whether the model made it.";
export const parallelStays = "In this format, the model cannot be prevented from calling several tools in one turn.";
