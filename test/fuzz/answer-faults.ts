import { errorCodes, type ErrorCode } from "../../src/errors/errors.ts";
import { isJsonObject, type JsonObject } from "../../src/json/object.ts";
import type { WireAnswer } from "./http-answers.ts";

/** What no error may hold: a stack, an engine's own words, a path of this machine. */
const inside = /\n\s+at |node:internal|node_modules|file:\/\/|call stack|Cannot read|is not a function|HPE_|llhttp/;

const actions = new Set(["fix_arguments", "retry", "retry_later", "check_before_retry", "stop"]);
const errorKeys = new Set([
  ..."code message action retryable ran".split(" "),
  ..."issues suggestion details retryAfterMs upstream".split(" "),
]);
/** Codes of calls that a request can fail with too: the client left, or a declaration cannot be given. */
const otherStatus: Partial<Record<string, number>> = { cancelled: 400, unavailable: 404 };
/** Of the answers that are neither an outcome nor an error: a list, a declaration, documents. */
const documentKeys = ["tools", "parameters", "openapi", "version", "results"];

/**
 * What is wrong with an answer by the contract, section 4; undefined where nothing is.
 * @param secrets what no error may hold beside the insides of the service
 */
export function faultOf({ status, headers, body, isCut }: WireAnswer, secrets: readonly string[]): string | undefined {
  if (status >= 500 && status !== 503) return `its status is ${status}`;
  if (!headers["x-request-id"]) return "it has no x-request-id";
  if (isCut) return undefined; // What is there may be anything's beginning. Whether it may be cut is another question.
  if (status === 204 || status === 304 || body === undefined) return undefined;
  const type = headers["content-type"];
  if (type === "text/event-stream") return streamFaultOf(status, body, secrets);
  if (type?.startsWith("text/plain; version=") === true) return status === 200 ? undefined : "metrics that failed";
  if (type !== "application/json") return `its content-type is ${type}`;
  return jsonFaultOf(status, headers, body, secrets);
}

function jsonFaultOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  secrets: readonly string[],
): string | undefined {
  const body = parse(text);
  if (!isJsonObject(body)) return "its body is no JSON object";
  if (body["status"] === "error") {
    const code = isJsonObject(body["error"]) ? String(body["error"]["code"]) : "";
    if (headers["toolhost-outcome"] !== code) return `its toolhost-outcome is ${headers["toolhost-outcome"]}`;
    if (status === 405 && !headers["allow"]) return "a 405 without Allow";
    if (status === 401 && !headers["www-authenticate"]) return "a 401 without WWW-Authenticate";
    if ((status === 429 || status === 503) && !/^\d+$/.test(headers["retry-after"] ?? "")) return "no Retry-After";
    return outcomeFaultOf(status, body, text, secrets);
  }
  if (status !== 200) return `its status is ${status} and it tells no error`;
  if (body["status"] === "ok") return okFaultOf(headers, body);
  if (!documentKeys.some((key) => Object.hasOwn(body, key))) return "it is no outcome, list or document";
  if (!Array.isArray(body["results"])) return undefined;
  for (const result of body["results"] as unknown[]) {
    if (!isJsonObject(result) || !("id" in result) || !("name" in result)) return "a result without id and name";
    if (result["status"] === "ok") continue;
    const fault = outcomeFaultOf(undefined, result, JSON.stringify(result["error"]), secrets);
    if (fault !== undefined) return `a result: ${fault}`;
  }
  return undefined;
}

function okFaultOf(headers: Readonly<Record<string, string>>, body: JsonObject): string | undefined {
  const isHealth = Object.keys(body).length === 1;
  if (isHealth) return undefined;
  if (headers["toolhost-outcome"] !== "ok") return `its toolhost-outcome is ${headers["toolhost-outcome"]}`;
  return typeof body["callId"] === "string" && "result" in body ? undefined : "an ok without callId or result";
}

/** @param status undefined for one of several results, whose code has no status of its own */
function outcomeFaultOf(
  status: number | undefined,
  body: JsonObject,
  text: string,
  secrets: readonly string[],
): string | undefined {
  const { error } = body;
  if (body["status"] !== "error" || !isJsonObject(error)) return "it has no error";
  const code = error["code"] as ErrorCode;
  if (!Object.hasOwn(errorCodes, code)) return `its code is ${code}`;
  if (code === "internal") return "it is internal";
  const row = errorCodes[code];
  if (status !== undefined && status !== row.status && status !== otherStatus[code]) return `${code} with ${status}`;
  if (typeof error["message"] !== "string" || error["message"] === "") return "it has no message";
  if (!actions.has(error["action"] as string)) return `its action is ${String(error["action"])}`;
  if (typeof error["retryable"] !== "boolean") return "it does not say whether to retry";
  if (![undefined, "no", "unknown"].includes(error["ran"] as string | undefined)) return "its ran is unknown to us";
  const stray = Object.keys(error).find((key) => !errorKeys.has(key));
  if (stray !== undefined) return `it holds ${stray}`;
  if (!areIssues(error["issues"])) return "its issues have another shape";
  if (inside.test(text) || text.includes(process.cwd())) return "it shows the inside of the service";
  return secrets.some((secret) => text.includes(secret)) ? "it holds what must not leave" : undefined;
}

function areIssues(issues: unknown): boolean {
  if (issues === undefined) return true;
  if (!Array.isArray(issues) || issues.length === 0 || issues.length > 20) return false;
  return issues.every(
    (issue) =>
      isJsonObject(issue) && [issue["path"], issue["message"], issue["keyword"]].every((it) => typeof it === "string"),
  );
}

function streamFaultOf(status: number, text: string, secrets: readonly string[]): string | undefined {
  if (status !== 200) return "a stream that is no 200";
  const last = /(?:^|\n\n)event: outcome\ndata: (.*)\n\n$/.exec(text)?.[1];
  const outcome = last === undefined ? undefined : parse(last);
  if (!isJsonObject(outcome)) return "a stream without an outcome at its end";
  return outcome["status"] === "ok" ? undefined : outcomeFaultOf(200, outcome, last ?? "", secrets);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
