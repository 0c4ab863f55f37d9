import { plain, unions, type WrittenProfile } from "../schema/profile.ts";

/** Source: the fields of ToolProperty in api/types.go of ollama/ollama. */
export const ollamaProfile: WrittenProfile = {
  name: "ollama",
  keywords: {
    keep: "type enum anyOf properties required items",
    describe: "default",
    otherRules: "describe",
    otherWords: "drop",
  },
  shape: {
    ...plain,
    refusedAtRoot: [...unions, "enum", "const"],
    references: "inline",
    unionsAlone: false,
    constAsEnum: true,
    tuplesAsLists: true,
  },
};
