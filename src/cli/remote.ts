import { ConfigError, readConfig } from "../config.ts";

/**
 * Asks a running service, with the first of TOOLHOST_API_KEYS as the key.
 * @returns the JSON of the answer, whatever its status
 * @throws ConfigError where nothing answers, or something else than Toolhost does
 */
export async function requestJson(url: string, path: string, body?: string): Promise<unknown> {
  const [key] = readConfig([], { TOOLHOST_API_KEYS: process.env["TOOLHOST_API_KEYS"] }).apiKeys;
  const base = url.endsWith("/") ? url : `${url}/`;
  try {
    const response = await fetch(new URL(path, base), {
      ...(body !== undefined && { method: "POST", body }),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
    });
    const answer: unknown = await response.json();
    if (body === undefined && !response.ok) throw new ConfigError(`the service answered ${JSON.stringify(answer)}`);
    return answer;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`no Toolhost answers at ${url}`, { cause: error });
  }
}
