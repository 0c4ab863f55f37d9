import { plain, type WrittenProfile } from "../schema/profile.ts";

const keys = { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, everywhere: true };

/** Source: `parametersJsonSchema` of the type FunctionDeclaration of @google/genai 2. */
export const geminiJson: WrittenProfile = {
  name: "gemini",
  keywords: {
    keep:
      "type enum anyOf properties required additionalProperties items prefixItems minItems maxItems minimum maximum " +
      "format title",
    describe: "default",
    otherRules: "describe",
    otherWords: "drop",
  },
  shape: {
    ...plain,
    references: "optional",
    constAsEnum: true,
    enums: "scalars",
    oneType: true,
    inclusiveBounds: true,
    needsItems: true,
    declaresRequired: true,
    keys,
  },
};

/** Source: the type Schema of @google/genai 2, which is that of OpenAPI 3.0. */
export const geminiOpenApi: WrittenProfile = {
  name: "gemini-openapi",
  keywords: {
    keep:
      "type enum anyOf properties required minProperties maxProperties items minItems maxItems minimum maximum " +
      "minLength maxLength pattern format title default",
    otherRules: "describe",
    otherWords: "drop",
  },
  shape: {
    ...plain,
    references: "inline",
    constAsEnum: true,
    enums: "strings",
    oneType: true,
    needsType: true,
    inclusiveBounds: true,
    tuplesAsLists: true,
    needsItems: true,
    declaresRequired: true,
    formats: {
      string: new Set(["date", "date-time", "email", "byte", "password"]),
      number: new Set(["float", "double"]),
      integer: new Set(["int32", "int64"]),
    },
    patterns: "re2",
    keys,
  },
};
