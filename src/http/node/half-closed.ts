import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A socket with its next answer, in the field of node:http. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Every answer begins with these bytes, even to HTTP/1.0. */
const beginning = "HTTP/1.1";
/** The time until the next byte. The system reports a client that left only at the second write. */
const probeMs = [20, 40, 200, 800, 3000, 10_000, 30_000];

/**
 * For a client that has closed its sending side while its requests are being answered. It either waits for the answers,
 * as `nc -N` does, or has left, and the system reports the same in both cases. Only a write shows the difference,
 * because the system of a client that left refuses it. So the first bytes of the answer are sent in advance, one at a
 * time, and the rest follows when the answer is ready. A stream gets an empty comment. If the client left, the socket
 * fails, and its calls are cancelled.
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

/** Sends the first bytes of an answer in advance, and removes them from the answer. */
function createAhead(socket: Socket): { sendByte(): void } {
  let sent = 0;
  const writeRest = (chunk: string | Uint8Array, ...rest: never[]): boolean => {
    const left = typeof chunk === "string" ? chunk.slice(sent) : chunk.subarray(sent);
    sent = 0;
    Reflect.deleteProperty(socket, "write"); // Restores the class's own function.
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
