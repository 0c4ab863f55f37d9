/** Elements whose content nobody sees. */
const hidden = new Set(["script", "style", "template", "noscript", "svg", "iframe", "object"]);

/** Whether a text is a page, by its media type or its beginning. */
export function isHtml(text: string, mediaType: string): boolean {
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType)) return true;
  return (mediaType === "" || mediaType === "text/plain") && /^\s*<(?:!doctype html|html)\b/i.test(text.slice(0, 500));
}

/**
 * The title and the visible text of a page, a line for each piece of text. The page may be cut off or malformed; the time is
 * linear in its length.
 */
export function htmlText(html: string): string {
  const lines: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const text = decodeEntities(open === -1 ? html.slice(at) : html.slice(at, open))
      .replace(/\s+/g, " ")
      .trim();
    if (text !== "" && text !== lines.at(-1)) lines.push(text);
    if (open === -1) break;
    at = endOfTag(html, open);
  }
  return lines.join("\n");
}

/** Where the text after a tag begins: behind the whole element if nobody sees its content, or at the end of the page. */
function endOfTag(html: string, open: number): number {
  if (html.startsWith("<!--", open)) return behind(html, "-->", open + 4);
  const name = /^<([a-z][a-z0-9-]*)/i.exec(html.slice(open, open + 20))?.[1]?.toLowerCase();
  // A sign that begins no tag: its line is text.
  if (name === undefined && !/^<[/!?]/.test(html.slice(open, open + 2))) return open + 1;
  const end = behind(html, ">", open);
  return name !== undefined && hidden.has(name) ? behindElement(html, name, end) : end;
}

function behind(html: string, mark: string, from: number): number {
  const index = html.indexOf(mark, from);
  return index === -1 ? html.length : index + mark.length;
}

function behindElement(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}\\b`, "gi");
  close.lastIndex = from;
  const found = close.exec(html);
  return found === null ? html.length : behind(html, ">", found.index);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (given, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? given;
    const point = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : given;
  });
}
