import { ConfigError, throwProblems } from "../config/config-error.ts";
import { type Env, readApiKeys } from "../config/environment.ts";
import { inQuotes } from "../json/in-quotes.ts";
import { isJsonObject } from "../json/object.ts";

/**
 * Sends a request to a running service, with the first of TOOLHOST_API_KEYS as the key.
 * @returns the JSON of the response, whatever its status
 * @throws ConfigError if nothing answers, or the response is not JSON
 */
export async function requestJson(url: string, path: string, env: Env, body?: string): Promise<unknown> {
  const problems: string[] = [];
  const [key] = readApiKeys(env, problems);
  throwProblems(problems);
  if (!/^https?:\/\//i.test(url))
    throw new ConfigError(`--url must start with http:// or https://, but is ${inQuotes(url)}`);
  const base = url.endsWith("/") ? url : `${url}/`;
  try {
    const response = await fetch(new URL(path, base), {
      ...(body !== undefined && { method: "POST", body }),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
    });
    return await response.json();
  } catch (error) {
    throw new ConfigError(`no Toolhost answers at ${url}`, { cause: error });
  }
}

/**
 * Checks that a response has the expected shape.
 * @throws ConfigError with the service's own message if it refused, or if something other than Toolhost answered
 */
export function readAnswer<T>(url: string, answer: unknown, isExpected: (answer: unknown) => answer is T): T {
  if (isExpected(answer)) return answer;
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  const message = isJsonObject(error) ? error["message"] : undefined;
  throw new ConfigError(
    typeof message === "string" ? `the service at ${url} refused: ${message}` : `no Toolhost answers at ${url}`,
  );
}
