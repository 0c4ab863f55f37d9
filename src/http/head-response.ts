import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Reply } from "./reply.ts";

/** Where node:http keeps the head of an answer between `writeHead` and the first byte of its body. */
interface HeadHolder {
  _header: string | null;
}

/**
 * An answer whose head is written in one piece. `writeHead` looks at each header twice by regular expression and three
 * times by name, which costs as much as all the checks of a call. What it looks for cannot be here: names are our own,
 * values are printable ASCII by their making, and what ends the connection goes by `writeHead` as ever.
 */
export class HeadResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /**
   * Sends an answer whose body is text.
   * @returns whether all of it is out already; `close` is emitted when it is
   */
  sendText({ status, headers }: Reply, text: string): boolean {
    headers["content-length"] = String(Buffer.byteLength(text));
    if (this.shouldKeepAlive && this.req.httpVersion === "1.1" && headers["connection"] === undefined) {
      this.statusCode = status; // For those who look at the answer afterwards, as tracing does.
      (this as unknown as HeadHolder)._header = headOf(status, headers);
    }
    // True where node:http has taken the head for its own; were it ever to keep it elsewhere, this is the way.
    if (!this.headersSent) this.writeHead(status, headers);
    const { socket } = this;
    // Behind the answer to an earlier request it is kept until its turn.
    if (socket === null || socket.writableCorked > 0) {
      this.end(text);
      return false;
    }
    // `end(text)` sends the text and an empty chunk behind it, by writev, at a tenth of the cost of a whole call. Written
    // by itself and at once, it is one write, and nothing is left for `end` to send.
    socket.cork();
    this.write(text);
    socket.uncork();
    this.end();
    return socket.writableLength === 0;
  }
}

function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${httpDate()}\r\nConnection: keep-alive\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}\r\n`;
}

let lastSecond = 0;
let lastDate = "";

/** The time as headers have it (RFC 9110, section 5.6.7). */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastDate = new Date(second * 1000).toUTCString();
  }
  return lastDate;
}
