import type { Exchange } from "../exchange.ts";

const eventStream = "text/event-stream";
const json = "application/json";
const token = "[!#$%&'*+.^_`|~\\w-]+";
const parameter = `[ \\t]*;[ \\t]*(?:${token}=(?:${token}|"[^"\\\\]*"))?`;
const range = new RegExp(`^[ \\t]*(${token}/${token})((?:${parameter})*)[ \\t]*$`);
const weight = /;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*(?:;|$)/i;
const anyWeight = /;[ \t]*q=/i;

/** Whether a request asks for the call as a stream. Most headers are too short to name the type. */
export function wantsStream({ headers: { accept } }: Pick<Exchange, "headers">): boolean {
  return typeof accept === "string" && accept.length >= eventStream.length && acceptsStream(accept);
}

/**
 * Whether a caller asks for the call as a stream (RFC 9110, section 12.5.1): it names the type of event streams, and
 * gives JSON less weight. JSON is the answer to equal weights, to ranges with `*`, and to what is malformed.
 */
export function acceptsStream(accept: string): boolean {
  if (!accept.toLowerCase().includes(eventStream)) return false;
  let streamWeight = 0;
  let jsonWeight: number | undefined;
  for (const part of accept.split(",")) {
    if (part.trim() === "") continue;
    const [, type = "", parameters = ""] = range.exec(part) ?? [];
    const given = weight.exec(parameters)?.[1];
    if (type === "" || (given === undefined && anyWeight.test(parameters))) return false;
    const q = given === undefined ? 1 : Number(given);
    if (type.toLowerCase() === eventStream) streamWeight = Math.max(streamWeight, q);
    else if (type.toLowerCase() === json) jsonWeight = Math.max(jsonWeight ?? 0, q);
  }
  return streamWeight > (jsonWeight ?? 0);
}
