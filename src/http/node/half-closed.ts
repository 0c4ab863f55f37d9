import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A socket with the answer that its client gets next, in the field of node:http. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Every answer begins with these bytes, to HTTP/1.0 too. */
const beginning = "HTTP/1.1";
/** When the next byte follows. The system reports a client that left at the second write, as the first only asks. */
const probeMs = [20, 40, 200, 800, 3000, 10_000, 30_000];

/**
 * For a client that has ended its side while requests of it are being answered: it waits for the answers, as `nc -N` does,
 * or it has left; the system says the same of both. Only a write finds out, as the system of a client that left refuses
 * it. So the first bytes of the answer are sent ahead, one at a time; the rest of it follows when it is made. A stream
 * gets an empty comment. If the client left, the socket ends with an error, and the calls with it.
 */
export function probeHalfClosed(socket: Socket): void {
  let probes = 0;
  const ahead = createAhead(socket);
  const probe = (): void => {
    const owed = (socket as HttpSocket)._httpMessage;
    if (owed == null || !socket.writable) return;
    if (!owed.headersSent) ahead.sendByte();
    else if (isEventStream(owed)) owed.write(":\n\n");
    const waitMs = probeMs[Math.min(probes++, probeMs.length - 1)];
    setTimeout(probe, waitMs).unref();
  };
  probe();
}

/** Sends an answer's first bytes before it is made, and takes them off the answer. */
function createAhead(socket: Socket): { sendByte(): void } {
  let sent = 0;
  const writeRest = (chunk: string | Uint8Array, ...rest: never[]): boolean => {
    const left = typeof chunk === "string" ? chunk.slice(sent) : chunk.subarray(sent);
    sent = 0;
    Reflect.deleteProperty(socket, "write"); // The class has its own again.
    return socket.write(left, ...rest);
  };
  return {
    sendByte() {
      if (sent === beginning.length) return;
      if (sent > 0) Reflect.deleteProperty(socket, "write");
      socket.write(beginning[sent++]!, "latin1");
      socket.write = writeRest as Socket["write"];
    },
  };
}

function isEventStream(outgoing: ServerResponse): boolean {
  const { _header: head } = outgoing as { readonly _header?: string | null };
  return !outgoing.writableEnded && /^content-type: text\/event-stream/im.test(head ?? "");
}
