/** Lines of one source in a second; more are counted. */
const linesPerSecond = 20;
const maxLineLength = 2000;

interface Window {
  second: number;
  lines: number;
  omitted: number;
}

/**
 * Bounds what programs of sources write for people, such as the stderr of MCP servers: a server that writes without end must not
 * fill the log.
 * @param write writes a line to the log
 */
export function boundOutput(write: (source: string, line: string) => void): (source: string, line: string) => void {
  const windows = new Map<string, Window>();
  return (source, line) => {
    const second = Math.floor(performance.now() / 1000);
    let window = windows.get(source);
    if (window?.second !== second) {
      const omitted = window?.omitted ?? 0;
      if (omitted > 0) write(source, `(${omitted} more lines)`);
      windows.set(source, (window = { second, lines: 0, omitted: 0 }));
    }
    if (line.trim() === "") return;
    if (++window.lines > linesPerSecond) window.omitted++;
    else write(source, line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line);
  };
}
