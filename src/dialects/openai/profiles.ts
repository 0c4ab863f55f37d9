import { asWritten, plain, unions, type WrittenProfile } from "../schema/profile.ts";
import { excessOfStrict } from "./strict-size.ts";

const refusedAtRoot = [...unions, "not", "enum", "const"];

/** Source: OpenAI's guide to function calling, and known errors of its API. */
const openaiPlain: WrittenProfile = {
  name: "openai",
  keywords: { otherRules: "keep", otherWords: "keep" },
  shape: { ...asWritten, refusedAtRoot, needsItems: true, patterns: "python" },
};

/** Source: OpenAI's guide to structured outputs, and known errors of its API. */
const openaiStrict: WrittenProfile = {
  name: "openai-strict",
  keywords: {
    keep:
      "type enum const anyOf properties required additionalProperties items minItems maxItems minimum maximum " +
      "exclusiveMinimum exclusiveMaximum multipleOf pattern format title default",
    describe: "uniqueItems minLength maxLength",
    otherRules: "refuse",
    otherWords: "drop",
  },
  shape: {
    ...plain,
    refusedAtRoot,
    strict: true,
    requiresAll: true,
    formats: {
      string: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
    },
    patterns: "python",
  },
  withoutStrict: openaiPlain,
  excessOf: excessOfStrict,
};

/** Both of OpenAI's APIs accept the same schemas. */
export function openaiProfile({ strict }: { readonly strict: boolean }): WrittenProfile {
  return strict ? openaiStrict : openaiPlain;
}
