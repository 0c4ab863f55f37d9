import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { HttpReply } from "../http-reply.ts";

/** node:http's own fields for the head of an answer and whether it was sent. */
interface OwnFields {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * An answer that goes to its socket in one write. `writeHead` looks at each header twice by regular expression and
 * three times by name, and `end(text)` sends the text and an empty chunk behind it by writev: together that costs more
 * than all the checks of a call. Their checks are not needed here: Toolhost chooses the names, and the values are
 * always printable ASCII. Answers that close the connection or wait for their turn still use these functions.
 */
export class HeadResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /**
   * Sends an answer whose body is not a stream.
   * @returns whether all of it is already sent; `close` is emitted then
   */
  sendWhole({ status, headers }: HttpReply, body: string | Uint8Array): boolean {
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    // RFC 9110, section 8.6: an answer 204 has no length, and that of an answer 304 would be the length of another body.
    if (status !== 204 && status !== 304) headers["content-length"] = String(bytes);
    const own = this as unknown as OwnFields;
    const { socket } = this;
    const isPlain = this.shouldKeepAlive && this.req.httpVersion === "1.1" && !Object.hasOwn(headers, "connection");
    // Without a socket it waits behind the answer to an earlier request. The last check covers a node:http with other
    // fields.
    if (!isPlain || socket?.writable !== true || socket.writableCorked > 0 || own._headerSent !== false) {
      this.writeHead(status, headers).end(body);
      return false;
    }
    this.statusCode = status; // For code that reads the answer afterwards, such as tracing.
    own._header = headOf(status, headers);
    own._headerSent = true;
    if (typeof body === "string") socket.write(own._header + body, bytes === body.length ? "latin1" : "utf8");
    else {
      socket.cork();
      socket.write(own._header, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.end(); // Everything is sent.
    return socket.writableLength === 0;
  }
}

function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}${commonLines()}`;
  // Own names only: a property that a library or a tool has added to Object.prototype is not a header.
  for (const name of Object.keys(headers)) head += name + ": " + headers[name] + "\r\n";
  return head + "\r\n";
}

let lastSecond = 0;
let lastLines = "";

/** The headers of every answer. The time has the format of headers (RFC 9110, section 5.6.7). */
function commonLines(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastLines = `\r\nDate: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n`;
  }
  return lastLines;
}
