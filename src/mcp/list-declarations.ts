import { type Listing, startDeclarations } from "../dialects/declarations.ts";
import { declareMcp, mcp } from "../dialects/mcp/dialect.ts";
import { withValidHeaders } from "../dialects/mcp/parameter-headers.ts";
import type { Era } from "./revisions.ts";

const listings: Readonly<Record<Era, Listing>> = {
  legacy: mcp,
  modern: { ...mcp, declare: (tool, schema) => declareMcp(tool, withValidHeaders(schema), "plain") },
};

/** Starts the declarations of a list. A module of its own, because only lists need the code of a dialect. */
export function startListing(era: Era): ReturnType<typeof startDeclarations> {
  return startDeclarations(listings[era], { strict: false, schema: "json" });
}
