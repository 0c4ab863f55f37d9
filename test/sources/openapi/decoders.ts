/** Decoders of requests, written without our code: what a server makes of the bytes that arrive. */

/** The pairs of a query or a form, in their order. */
export function decodePairs(text: string): [string, string][] {
  if (text === "") return [];
  return text.split("&").map((pair) => {
    const at = pair.indexOf("=");
    return at === -1 ? [decodeForm(pair), ""] : [decodeForm(pair.slice(0, at)), decodeForm(pair.slice(at + 1))];
  });
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll("+", "%20"));
}

export interface DecodedPart {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string | undefined;
  readonly content: Buffer;
}

/** The parts of a `multipart` body (RFC 2046, section 5.1; RFC 7578). */
export function decodeMultipart(contentType: string, body: Buffer): DecodedPart[] {
  const boundary = /boundary=([^;]+)/.exec(contentType)?.[1];
  if (boundary === undefined) throw new Error("There is no boundary.");
  const pieces = splitBytes(Buffer.concat([Buffer.from("\r\n"), body]), Buffer.from(`\r\n--${boundary}`));
  const end = pieces.at(-1)!;
  if (!end.toString("latin1").startsWith("--")) throw new Error("The end is missing.");
  return pieces.slice(1, -1).map((piece) => {
    const at = piece.indexOf("\r\n\r\n");
    const heads = piece.subarray(2, at).toString().split("\r\n");
    const disposition = heads.find((line) => /^content-disposition:/i.test(line)) ?? "";
    const type = heads.find((line) => /^content-type:/i.test(line));
    if (heads.length > 2) throw new Error("There is a header that nobody wrote.");
    return {
      name: /[; ]name="([^"]*)"/.exec(disposition)?.[1] ?? "",
      fileName: /; filename="([^"]*)"/.exec(disposition)?.[1],
      type: type?.replace(/^content-type:\s*/i, ""),
      content: piece.subarray(at + 4),
    };
  });
}

function splitBytes(bytes: Buffer, separator: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, start)) {
    pieces.push(bytes.subarray(start, at));
    start = at + separator.length;
  }
  return [...pieces, bytes.subarray(start)];
}
