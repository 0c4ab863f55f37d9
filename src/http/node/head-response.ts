import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { HttpReply } from "../http-reply.ts";

/** Where node:http keeps the head of an answer, and whether it is on its way. */
interface OwnFields {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * An answer that goes to its socket in one write. `writeHead` looks at each header twice by regular expression and three
 * times by name, and `end(text)` sends the text and an empty chunk behind it by writev: together that costs more than
 * all the checks of a call. What they look for cannot be here: names are our own, values are printable ASCII by their
 * making, and what ends the connection or waits for its turn goes by them as ever.
 */
export class HeadResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /**
   * Sends an answer whose body is text.
   * @returns whether all of it is out already; `close` is emitted when it is
   */
  sendText({ status, headers }: HttpReply, text: string): boolean {
    const bytes = Buffer.byteLength(text);
    headers["content-length"] = String(bytes);
    const own = this as unknown as OwnFields;
    const { socket } = this;
    const isPlain = this.shouldKeepAlive && this.req.httpVersion === "1.1" && !Object.hasOwn(headers, "connection");
    // Without a socket it waits behind the answer to an earlier request. The last check is for a node:http with other fields.
    if (!isPlain || socket?.writable !== true || socket.writableCorked > 0 || own._headerSent !== false) {
      this.writeHead(status, headers).end(text);
      return false;
    }
    this.statusCode = status; // For code that reads the answer afterwards, such as tracing.
    own._header = headOf(status, headers);
    own._headerSent = true;
    socket.write(own._header + text, bytes === text.length ? "latin1" : "utf8");
    this.end(); // Nothing is left for it to send.
    return socket.writableLength === 0;
  }
}

function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}${commonLines()}`;
  // Own names alone: whatever an old library or a tool has put on Object.prototype is not a header.
  for (const name of Object.keys(headers)) head += name + ": " + headers[name] + "\r\n";
  return head + "\r\n";
}

let lastSecond = 0;
let lastLines = "";

/** What every answer has. The time is as headers have it (RFC 9110, section 5.6.7). */
function commonLines(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastLines = `\r\nDate: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n`;
  }
  return lastLines;
}
