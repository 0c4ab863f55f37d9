import { pointerToken } from "../../json/pointer.ts";
import { type Issue, libraryKeyword, maxIssues, withShortPath } from "../issues.ts";
import { createQuoteFinder } from "./quoted-values.ts";

const maxMessageLength = 300;

/**
 * A schema library's issues about arguments, for a model. A message is kept only if it does not repeat a part
 * of the arguments: an author's message may contain the refused value. @param given the `issues` of Standard Schema
 * @throws the error of a getter
 */
export function toLibraryIssues(given: unknown, args: unknown): Issue[] {
  const found = Array.isArray(given) ? given.slice(0, maxIssues).map(readIssue) : [];
  const texts = found.map(({ message }) => message).filter((message) => message !== undefined);
  const quotes = createQuoteFinder(texts, args);
  const issues = new Map<string, Issue>();
  for (const { keys, message } of found) {
    const isUsable = message !== undefined && !quotes(message, keys);
    const issue = withShortPath({
      path: keys.map(pointerToken).join(""),
      message: isUsable ? message : "is not valid",
      keyword: libraryKeyword,
    });
    issues.set(`${issue.path} ${issue.message}`, issue);
  }
  if (issues.size === 0) return [{ path: "", message: "is not valid", keyword: libraryKeyword }];
  return [...issues.values()];
}

interface FoundIssue {
  readonly keys: readonly string[];
  /** Absent if it is not a text of normal length. */
  readonly message: string | undefined;
}

function readIssue(given: unknown): FoundIssue {
  const { path, message } = (given ?? {}) as { readonly path?: unknown; readonly message?: unknown };
  const isText = typeof message === "string" && message.trim() !== "" && message.length <= maxMessageLength;
  return {
    keys: Array.isArray(path) ? path.map(readKey) : [],
    message: isText ? message : undefined,
  };
}

/** A key, or an object with one. */
function readKey(segment: unknown): string {
  const key: unknown = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
  return typeof key === "string" || typeof key === "number" || typeof key === "symbol" ? String(key) : "?";
}
