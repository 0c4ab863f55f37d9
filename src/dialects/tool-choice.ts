/** What a model is to do about tools: as it likes, call none, or call at least one. */
export type ToolChoiceMode = "auto" | "none" | "required";

/** What the model may do about tools, in no provider's words. */
export interface ToolChoice {
  readonly mode: ToolChoiceMode;
  /** Only these tools; with `required` and one name, this one. None at all is `mode: "none"`. @default all */
  readonly names?: readonly string[];
  /** Whether it may call several tools in one turn. @default true */
  readonly parallel?: boolean;
  /** The request asks the model to think. Anthropic then forces no tool. @default false */
  readonly thinking?: boolean;
}

/** A choice in a provider's words. After a turn that was forced, ask for `auto`: else the model never stops calling. */
export interface ToolChoiceFields {
  /** What to merge into the request. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Send the declarations of these tools alone, or of none. Absent: of all. */
  readonly tools?: readonly string[];
  /** What the provider cannot be asked for. */
  readonly warnings: readonly string[];
}

/** For providers that take no choice: what is left of it is which tools they are told of. */
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
  "The model cannot be forced to call a tool here: ask for it in the prompt, and check whether the model did.";
export const parallelStays = "The model cannot be prevented from calling several tools in one turn here.";
