/** The data of each event of a stream (text/event-stream, WHATWG HTML section 9.2). */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line: string[] = [];
  let data: string[] = [];
  for await (const chunk of body) {
    const [first, ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    line.push(first!);
    for (const next of others) {
      const whole = line.join("").replace(/\r$/, "");
      line = [next];
      if (whole.startsWith("data:")) data.push(whole.slice(whole.startsWith(" ", 5) ? 6 : 5));
      if (whole !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}
