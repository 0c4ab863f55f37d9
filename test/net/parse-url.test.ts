import { expect, it } from "vitest";
import { parseUrl } from "../../src/net/parse-url.ts";

it("a URL is read however often, with letters beyond ASCII too", () => {
  for (let round = 0; round < 50_000; round++) {
    if (parseUrl("https://bücher.example")?.hostname !== "xn--bcher-kva.example") expect.unreachable(`round ${round}`);
  }
});

it("a text that is not a URL is undefined", () => {
  for (const text of ["", "x", "http://", "http://a b", "//host"]) expect(parseUrl(text), text).toBeUndefined();
  expect(parseUrl("x", "http://host/")?.href).toBe("http://host/x");
});
