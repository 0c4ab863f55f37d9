import type { Source, SourceReading } from "../../../src/core/source.ts";
import { changeTool } from "../../../src/tool/prepared-tool.ts";
import type { Tool } from "../../../src/tool/tool.ts";

/**
 * The suite expects tools by the names that the other side gives them.
 * @param plainOf the name of a tool that is skipped
 */
export function withoutPrefix({ toolPrefix = "", ...source }: Source, plainOf?: (skipped: string) => string): Source {
  const renamed = new WeakMap<Tool, Tool>();
  const readings = new WeakMap<SourceReading, SourceReading>();
  const rename = (tool: Tool): Tool => {
    const known = renamed.get(tool) ?? changeTool(tool, { name: withoutStart(tool.name) });
    renamed.set(tool, known);
    return known;
  };
  return {
    ...source,
    async read(signal) {
      const reading = await source.read(signal);
      const { tools, skipped } = reading;
      const plain = readings.get(reading) ?? {
        ...reading,
        tools: tools.map(rename),
        skipped: skipped.map((each) => ({ ...each, name: (plainOf ?? withoutStart)(each.name) })),
      };
      readings.set(reading, plain);
      return plain;
    },
  };

  function withoutStart(name: string): string {
    if (!name.startsWith(toolPrefix)) throw new Error(`${name} does not begin with ${toolPrefix}`);
    return name.slice(toolPrefix.length);
  }
}
