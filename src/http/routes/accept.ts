import type { Exchange } from "../exchange.ts";

const eventStream = "text/event-stream";
const json = "application/json";
const token = "[!#$%&'*+.^_`|~\\w-]+";
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
/**
 * The parts of the header. Each match starts at the end of the previous one, so a separator inside quotes is never read
 * as a separator. A space can match in one place only, so the expression never backtracks.
 */
const mediaRange = new RegExp(`[ \\t]*(${token}/${token})`, "y");
const parameter = new RegExp(`[ \\t]*;(?:[ \\t]*(${token})=(${token}|${quoted}))?`, "y");
const end = /[ \t]*(?:,|$)/y;
const weight = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Whether a request asks for the call as a stream. Most headers are too short to name the type. */
export function wantsStream({ headers: { accept } }: Pick<Exchange, "headers">): boolean {
  return typeof accept === "string" && accept.length >= eventStream.length && acceptsStream(accept);
}

/**
 * Whether a caller asks for the call as a stream (RFC 9110, section 12.5.1): it names the type of event streams, and
 * gives JSON a lower weight. With equal weights, ranges with `*` or a malformed header, the answer is JSON.
 */
export function acceptsStream(accept: string): boolean {
  if (!accept.toLowerCase().includes(eventStream)) return false;
  let streamWeight = 0;
  let jsonWeight = 0;
  for (const element of elementsOf(accept)) {
    if (element === undefined) return false;
    if (element.type === eventStream) streamWeight = Math.max(streamWeight, element.weight);
    else if (element.type === json) jsonWeight = Math.max(jsonWeight, element.weight);
  }
  return streamWeight > jsonWeight;
}

interface Element {
  /** In lower case. */
  readonly type: string;
  readonly weight: number;
}

/** The elements of the list. Ends with undefined if the rest is malformed. */
function* elementsOf(accept: string): Generator<Element | undefined> {
  let place = 0;
  const next = (part: RegExp): RegExpExecArray | undefined => {
    part.lastIndex = place;
    const match = part.exec(accept) ?? undefined;
    if (match !== undefined) place = part.lastIndex;
    return match;
  };
  while (place < accept.length) {
    // A list may have empty elements.
    if (next(end) !== undefined) continue;
    const type = next(mediaRange)?.[1];
    let q: string | undefined;
    for (let given = next(parameter); given !== undefined; given = next(parameter)) {
      if (given[1]?.toLowerCase() === "q") q ??= given[2];
    }
    if (type === undefined || (q !== undefined && !weight.test(q)) || next(end) === undefined) return yield undefined;
    yield { type: type.toLowerCase(), weight: q === undefined ? 1 : Number(q) };
  }
}
