import type { ProviderName } from "./check-tools.ts";

export interface Declared {
  readonly name?: string;
  readonly description?: string;
  readonly strict?: boolean;
}

export type Form = ProviderName | "gemini-openapi";

/** A list with one tool, as a provider's request holds it, whatever is wrong with its schema. */
export function listOf(
  form: Form,
  parameters: unknown,
  { name = "look", description = "Looks.", strict = false }: Declared = {},
): unknown[] {
  switch (form) {
    case "openai":
      return [{ type: "function", function: { name, description, parameters, strict } }];
    case "openai-responses":
      return [{ type: "function", name, description, parameters, strict }];
    case "anthropic":
      return [{ name, description, input_schema: parameters, ...(strict && { strict }) }];
    case "gemini":
      return [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }];
    case "gemini-openapi":
      return [{ functionDeclarations: [{ name, description, parameters }] }];
    case "ollama":
      return [{ type: "function", function: { name, description, parameters } }];
    case "mcp":
      return [{ name, description, inputSchema: parameters }];
  }
}

export function providerOf(form: Form): ProviderName {
  return form === "gemini-openapi" ? "gemini" : form;
}
