import type { Client } from "@modelcontextprotocol/client";

/** After so long a subscription that ended is opened again, in milliseconds. */
const pauseMs = 30_000;

/**
 * Asks a server of the era 2026-07-28 for its notices of changed tools, which the client passes to its handler. One that ends, as
 * behind proxies, is opened again; what was missed meanwhile counts as a change.
 * @returns a function that ends it
 */
export function subscribe(client: Client, onMissed: () => void): () => void {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const open = async (): Promise<void> => {
    try {
      const { closed } = await client.listen({ toolsListChanged: true }, { signal: end.signal });
      await closed;
    } catch {
      // The server does not serve it, though it says so, or the connection broke: either is tried again.
    }
    if (end.signal.aborted) return;
    timer = setTimeout(() => {
      onMissed();
      void open();
    }, pauseMs).unref();
  };
  void open();
  return () => {
    end.abort();
    clearTimeout(timer);
  };
}
