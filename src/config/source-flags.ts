import type { parseArgs } from "node:util";
import { hasPassword, isForeignUrl, type OpenApiSetting } from "../sources/openapi/setting.ts";
import { ConfigError } from "./config-error.ts";
import { isSourceName, sourceNameRule } from "./source-name.ts";
import { isUpstreamUrl, upstreamUrlRule } from "./upstream-url.ts";

/** The flags that add sources. Each can be repeated. */
export const sourceFlags = {
  openapi: { type: "string", multiple: true },
  name: { type: "string", multiple: true },
  "base-url": { type: "string", multiple: true },
} as const;

type Tokens = NonNullable<ReturnType<typeof parseArgs>["tokens"]>;

/**
 * The sources that flags add. Their order matters: `--name` comes before the source that it names, `--base-url` after
 * its document.
 * @param tokens of `parseArgs`
 * @throws ConfigError
 */
export function readSourceFlags(tokens: Tokens): OpenApiSetting[] {
  const sources: OpenApiSetting[] = [];
  let name: string | undefined;
  for (const token of tokens) {
    if (token.kind !== "option" || token.value === undefined) continue;
    const { value } = token;
    if (token.name === "name") {
      if (name !== undefined) throw new ConfigError("--name is given twice before a source");
      if (!isSourceName(value)) throw new ConfigError(`--name must be ${sourceNameRule}`);
      name = value;
    } else if (token.name === "openapi") {
      if (hasPassword(value)) throw new ConfigError("--openapi must not contain a user or a password");
      if (value === "" || isForeignUrl(value))
        throw new ConfigError("--openapi must be a path or an http or https URL of a document");
      sources.push({ openapi: value, ...(name !== undefined && { name }) });
      name = undefined;
    } else if (token.name === "base-url") {
      const last = sources.pop();
      if (last === undefined) throw new ConfigError("--base-url comes after the --openapi that it belongs to");
      if (!isUpstreamUrl(value)) throw new ConfigError(`--base-url must be ${upstreamUrlRule}`);
      sources.push({ ...last, baseUrl: value });
    }
  }
  if (name !== undefined) throw new ConfigError("--name comes before the --openapi that it belongs to");
  return sources;
}
