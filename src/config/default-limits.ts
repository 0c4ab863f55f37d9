import { defaultLimits } from "../core/limits.ts";
import type { ConfigLimits } from "./config-file.ts";

/** The limits that the configuration does not set. */
export const defaultConfigLimits: ConfigLimits = {
  ...defaultLimits,
  bodyBytes: 1_048_576,
  replyBytes: 16_777_216,
  bytesInFlight: 268_435_456,
};
