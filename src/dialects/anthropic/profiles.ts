import { asWritten, plain, type WrittenProfile } from "../schema/profile.ts";

const keys = { pattern: /^[a-zA-Z0-9_.-]{1,64}$/, everywhere: false };

/** Source: Anthropic's guide to tool use, and known errors of its API. */
export const anthropicPlain: WrittenProfile = {
  name: "anthropic",
  keywords: { otherRules: "keep", otherWords: "keep" },
  shape: { ...asWritten, keys },
};

/** Source: Anthropic's guide to structured outputs, and known errors of its API. */
export const anthropicStrict: WrittenProfile = {
  name: "anthropic-strict",
  keywords: {
    keep: "type enum const anyOf properties required additionalProperties items minItems pattern format title default",
    refuse: "patternProperties prefixItems",
    otherRules: "describe",
    otherWords: "drop",
  },
  shape: {
    ...plain,
    references: "acyclic",
    strict: true,
    enums: "primitives",
    oneType: true,
    mostMinItems: 1,
    formats: {
      string: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"]),
    },
    patterns: "anthropic",
    keys,
  },
  withoutStrict: anthropicPlain,
};
