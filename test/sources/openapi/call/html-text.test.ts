import { expect, test } from "vitest";
import { htmlText, isHtml } from "../../../../src/sources/openapi/call/html-text.ts";

test.each([
  ["<p>a<br>b</p>", "a\nb"],
  ["a < b", "a\nb"],
  ["<title>Bad</title><h1>Bad</h1>", "Bad"],
  ["<SCRIPT>x</SCRIPT >after", "after"],
  ["<script>never closed", ""],
  ["<!-- never closed", ""],
  ["<p title='unclosed", ""],
  ["<scripted>seen</scripted>", "seen"],
  ["&lt;b&gt; &#x41;&#0; &unknown;", "<b> A&#0; &unknown;"],
])("the visible text of %s", (html, text) => {
  expect(htmlText(html)).toBe(text);
});

test.each([
  ["text/html", "anything", true],
  ["application/xhtml+xml", "<p/>", true],
  ["", "  <!DOCTYPE html><p>", true],
  ["text/plain", "<html lang=en>", true],
  ["application/json", "<html>", false],
  ["text/plain", "see <html>", false],
])("a page by its type %s and its beginning", (type, text, expected) => {
  expect(isHtml(text, type)).toBe(expected);
});

test.each(["<script>", "<!--", "<", "<a ", "&#", "</script", "<svg "])("many %s are read in linear time", (piece) => {
  const count = 65_536 / piece.length;
  // Quadratic time would be minutes: the test's own limit is the bound.
  for (let round = 0; round < 20; round++) htmlText(piece.repeat(count));
});
