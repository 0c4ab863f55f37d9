import { describe, expect, it } from "vitest";
import { createRights } from "../../../src/access/rights.ts";
import { createRegistry, invoke, type ToolOverrides } from "../../../src/index.ts";
import { UpstreamError } from "../../../src/errors/errors.ts";
import { resultOf, toolOf } from "../one-tool.ts";

function entryWith(overrides: ToolOverrides, name = "pets_list") {
  const tool = toolOf({ name, title: "Own", tags: ["own"], annotations: { destructive: true, openWorld: true } });
  return createRegistry({ overrides, tools: [tool] }).find(name)!;
}

describe("overrides by pattern", () => {
  it("set description, title, tags and annotations, in the declaration too", () => {
    const plain = entryWith({});
    const { declaration, tool } = entryWith({
      "pets_*": { description: "Lists pets.", title: "Pets", tags: ["shop"], annotations: { readOnly: true } },
    });
    const set = {
      description: "Lists pets.",
      title: "Pets",
      tags: ["shop"],
      annotations: { destructive: true, openWorld: true, readOnly: true },
    };
    expect(declaration).toMatchObject(set);
    expect(tool).toMatchObject(set);
    expect(declaration.hash).not.toBe(plain.declaration.hash);
  });

  it("are joined field by field: the longest that fits has a field, and the full name before any pattern", () => {
    const { declaration, timeoutMs, repair } = entryWith({
      pets_list: { title: "by name" },
      "pets_list*": { title: "as long as the name", description: "by the longest pattern" },
      "pets_*": {
        description: "by a shorter pattern",
        timeoutMs: 70,
        annotations: { readOnly: true, openWorld: true },
      },
      "*": { timeoutMs: 50, repair: true, annotations: { readOnly: false, idempotent: true } },
      pets_li: { timeoutMs: 1 },
      "dogs_*": { timeoutMs: 2 },
    });
    expect(declaration).toMatchObject({
      title: "by name",
      description: "by the longest pattern",
      annotations: { destructive: true, openWorld: true, readOnly: true, idempotent: true },
    });
    expect({ timeoutMs, repair }).toEqual({ timeoutMs: 70, repair: true });
  });

  it("leave a tool alone that they do not fit", () => {
    expect(entryWith({ "pet_*": { title: "Other" } }).declaration).toEqual(entryWith({}).declaration);
  });

  it("count for keys, retries and second runs", async () => {
    const entry = entryWith({ "pets_*": { annotations: { readOnly: true } } });
    expect(createRights({ readOnly: true })?.allows(entry)).toBe(true);
    expect(entry.repeatable).toBe(true);
    let runs = 0;
    const registry = createRegistry({
      overrides: { "*": { annotations: { idempotent: true }, retries: 1 } },
      tools: [
        toolOf({
          execute: () => {
            if (++runs === 1) throw new UpstreamError("It is busy.", { status: 503, retryAfterMs: 1 });
            return runs;
          },
        }),
      ],
    });
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe(2);
  });

  it("are held to the rules of a tool's own fields", () => {
    expect(() => entryWith({ "*": { description: " " } })).toThrow("it has no description");
    expect(() => entryWith({ "*": { tags: "shop" as never } })).toThrow('"tags" must be an array of strings');
  });

  it("are reported if they fit no tool", () => {
    const registry = createRegistry({
      overrides: { tool: {}, "to*": {}, "*": {}, tools: {}, "tools*": {}, toString: {} },
      tools: [toolOf({})],
    });
    expect(registry.unknownOverrides()).toEqual(["tools", "tools*", "toString"]);
  });

  it("are not reported if they are for all tools, and there is none yet", () => {
    expect(createRegistry({ overrides: { "*": {}, "to*": {} } }).unknownOverrides()).toEqual(["to*"]);
  });
});
