import { createLineSplitter } from "../../async/line-splitter.ts";

/** The data of each event of a stream (text/event-stream, WHATWG HTML section 9.2). */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  let events: string[] = [];
  const take = (bytes: Buffer): void => {
    const line = bytes.toString("utf8").replace(/\r$/, "");
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith(" ", 5) ? 6 : 5));
    if (line !== "" || data.length === 0) return;
    events.push(data.join("\n"));
    data = [];
  };
  const lines = createLineSplitter(Infinity, take, () => undefined);
  for await (const chunk of body) {
    if (lines.push(chunk) === 0) continue;
    const found = events;
    events = [];
    yield* found;
  }
}
