import { describe, expect, it } from "vitest";
import { createCheck } from "../../../src/schema/check.ts";
import { cpuMs } from "../../cpu-time.ts";

const formats = (
  "date date-time duration email hostname ipv4 ipv6 json-pointer regex time " +
  "uri uri-reference uri-template url uuid byte iso-date-time relative-json-pointer"
).split(" ");
const parts = ["a", "1", "a.", "1:", "/", "::", "\n", "(", "a@", "%41", "{a}", "P1D"];
const starts = ["", "P", "PT", "http://", "a:", "a@"];

describe("a format takes no time on long texts (S8)", () => {
  it.each(formats)("%s", (format) => {
    const check = createCheck({ format });
    for (const start of starts) {
      for (const part of parts) {
        const text = `${start}${part.repeat(50_000 / part.length)}!`;
        const before = cpuMs();
        check.accepts(text);
        expect(cpuMs() - before).toBeLessThan(450);
      }
    }
  });

  it("and takes a text of plain length as before", () => {
    expect(createCheck({ format: "url" }).accepts(`https://example.test/${"a".repeat(1900)}`)).toBe(true);
    expect(createCheck({ format: "uri" }).accepts(`data:text/plain,${"a".repeat(50_000)}`)).toBe(true);
    expect(createCheck({ format: "int32" }).accepts(2 ** 31)).toBe(false);
  });
});
