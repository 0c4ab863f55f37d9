import { describe, expect, it } from "vitest";

import { tool } from "../../tools/show_effect/tool.ts";
import { readFolder } from "./folder-schemas.ts";

describe("an effect", () => {
  it.each(["confetti", "hearts", "sparkles"] as const)("%s is shown for a time", async (effect) => {
    const result = await tool.execute({ effect });
    expect(result).toEqual({ effect, duration_ms: expect.any(Number) });
    expect(readFolder("show_effect").response(result)).toBe(true);
  });

  it("carries its reason", async () => {
    const result = await tool.execute({ effect: "hearts", reason: "Thank you" });
    expect(result).toMatchObject({ reason: "Thank you" });
    expect(readFolder("show_effect").response(result)).toBe(true);
  });
});
