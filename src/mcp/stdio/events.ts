/** The data of each event of a stream (text/event-stream, WHATWG HTML section 9.2). */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
      if (data.length > 0) yield data.join("\n");
    }
  }
}
