import type { Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "../setting.ts";

/** The client's own transport to a URL. @param fetch sends the operator's credentials */
export async function createUrlTransport(
  { url = "", transport }: McpServer,
  fetch: typeof globalThis.fetch,
): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  if (transport === "sse") return new SSEClientTransport(new URL(url), { fetch });
  return new StreamableHTTPClientTransport(new URL(url), { fetch });
}

/** Tells the server that its session is over. A server need not have sessions. */
export async function endSession(transport: Transport, withinMs: number): Promise<void> {
  if (transport.sessionId === undefined || !("terminateSession" in transport)) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
  const { terminateSession } = transport as Transport & { terminateSession: () => Promise<void> };
  await Promise.race([late, terminateSession.call(transport).catch(() => undefined)]);
  clearTimeout(timer);
}
