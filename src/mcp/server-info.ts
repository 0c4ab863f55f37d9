import type { ResultFrame } from "../dialects/mcp/call-tool-result.ts";
import { version } from "../package.ts";
import { type Era, metaKeys } from "./revisions.ts";

/** Who answers, as clients show it. */
export const serverInfo = { name: "toolhost", title: "Toolhost", version };

/**
 * What a result may be kept for: tools change when the service is configured anew, and differ between callers. Source:
 * modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching.
 */
export const cacheMembers = '"ttlMs":60000,"cacheScope":"private"';

/** What each era adds to a result. */
export const frames: Readonly<Record<Era, ResultFrame>> = {
  legacy: { form: "wrapped", head: "", meta: "" },
  modern: {
    form: "plain",
    head: '"resultType":"complete",',
    meta: `${JSON.stringify(metaKeys.serverInfo)}:${JSON.stringify(serverInfo)}`,
  },
};
