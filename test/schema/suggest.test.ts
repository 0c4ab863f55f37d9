import { describe, expect, it } from "vitest";
import { closest } from "../../src/schema/suggest.ts";

describe("the word that was meant", () => {
  it.each([
    ["celcius", ["fahrenheit", "celsius"], "celsius"],
    ["getWeather", ["get_time", "get_weather"], "get_weather"],
    ["GET-WEATHER", ["get_weather"], "get_weather"],
    ["hte", ["the", "other"], "the"],
    ["a", ["b"], "b"],
    ["units", ["unit", "units_"], "units_"],
  ])("by %s of %j is %s", (word, candidates, meant) => {
    expect(closest(word, candidates)).toBe(meant);
  });

  it.each([
    ["", ["a"]],
    ["weather", []],
    ["weather", ["calendar", "mail"]],
    ["x".repeat(101), ["x".repeat(101)]],
  ])("by %s of %j is none", (word, candidates) => {
    expect(closest(word, candidates)).toBeUndefined();
  });

  it("is the nearest, and of equals the first", () => {
    expect(closest("create", ["creates_", "create_all", "crate"])).toBe("creates_");
    expect(closest("pat", ["bat", "cat"])).toBe("bat");
  });
});

describe("to look for what was meant", () => {
  it("takes none where the candidates are long", () => {
    expect(closest("word", ["x".repeat(1_000_000), "word_"])).toBe("word_");
  });
});
